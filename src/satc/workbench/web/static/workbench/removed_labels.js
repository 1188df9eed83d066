// Where a label implies its ancestors, removing one removes those below it as
// well. A line names them, and a button puts them back.

import { byId, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";

export class RemovedLabels {
  // `changed()` is called after the labels were put back.
  constructor(names, changed) {
    this.names = names;
    byId("put-back").addEventListener("click", () => {
      for (const label of this.labels) this.task.chosen.add(label);
      this.clear();
      changed();
    });
  }

  show(task, label, others) {
    Object.assign(this, { task, labels: [label, ...others] });
    const values = { name: this.names[label], items: others.map((other) => this.names[other]) };
    byId("removed-labels-text").textContent = others.length ? t("workbench.removed_with", values) : "";
    setVisible(byId("removed-labels"), others.length > 0);
  }

  clear() {
    setVisible(byId("removed-labels"), false);
  }
}
