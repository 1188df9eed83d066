// Turns labels on and off: with the labels that follow from them, on every panel
// that shows them, and with a word for screen readers.

import { t } from "../shared/messages.js";
import { announce } from "../shared/notices.js";
import { keepLabels } from "./drafts.js";
import { chooseLabel, toggleWithOthers } from "./task.js";

export class LabelChoice {
  // `panels` are `labels`, `chips`, `tree` and `removed`.
  constructor(book, isSingle, panels) {
    Object.assign(this, { book, isSingle, panels });
  }

  // A new document is on the page.
  start(task) {
    const { labels, chips, tree, removed } = this.panels;
    removed.clear();
    labels.show(task);
    chips.show(task);
    tree.show(task);
  }

  stop() {
    this.panels.removed.clear();
    this.panels.chips.clear();
  }

  // Other labels are chosen now.
  show(task) {
    const { labels, chips, tree } = this.panels;
    if (labels.hasNew(task)) labels.show(task);
    else labels.showState(task);
    chips.show(task);
    tree.show(task);
  }

  toggle(task, label) {
    const said = this.isSingle ? this.choose(task, label) : this.change(task, label);
    keepLabels(task);
    this.show(task);
    announce(said);
  }

  // Labels that were removed with another one are chosen again.
  putBack(task) {
    keepLabels(task);
    this.show(task);
  }

  // Where every document has one label, the next choice replaces it; until then there is none.
  remove(task, label) {
    if (!this.isSingle) return this.toggle(task, label);
    task.chosen.clear();
    keepLabels(task);
    return this.show(task);
  }

  choose(task, label) {
    chooseLabel(task, label);
    return t("workbench.said_chosen", { name: this.book.names[label] });
  }

  change(task, label) {
    const { isOn, others } = toggleWithOthers(task, label, this.book);
    if (isOn) this.panels.removed.clear();
    else this.panels.removed.show(task, label, others);
    const values = { name: this.book.names[label], items: others.map((other) => this.book.names[other]) };
    if (others.length) return t(isOn ? "workbench.said_on_with" : "workbench.said_off_with", values);
    return t(isOn ? "workbench.said_on" : "workbench.said_off", values);
  }
}
