// The chosen labels as chips above the buttons: a chip removes its label. Labels
// that others imply are folded into one chip, which opens and closes them. On a
// phone, chips of the most probable other labels follow, so that the usual decision
// needs no scrolling.

import { byId, element, setVisible } from "../shared/dom.js";
import { percent } from "../shared/format.js";
import { t } from "../shared/messages.js";

export class Chips {
  isOpen = false; // whether the implied labels are shown

  // `remove(label)` and `choose(label)` change what is chosen.
  constructor(book, { remove, choose, isSingle }) {
    Object.assign(this, { book, remove, choose, isSingle });
  }

  show(task) {
    byId("chosen").replaceChildren(...this.chosenChips(task));
    byId("offered").replaceChildren(...this.offered(task).map((entry) => this.offeredChip(entry)));
    setVisible(byId("chosen-none"), task.chosen.size === 0);
    byId("accept-word").textContent = this.acceptText(task);
    if (this.isSingle) setVisible(byId("must-choose"), false);
  }

  // Labels that others imply come last, because they follow from these.
  chosenChips(task) {
    const all = this.book.implied(task.chosen);
    const { shown, implied } = this.book.fold(this.book.order.filter((label) => task.chosen.has(label)));
    return [
      ...shown.map((label) => this.chosenChip(label, all.has(label))),
      ...(implied.length ? [this.foldingChip(task, implied)] : []),
      ...(this.isOpen ? implied.map((label) => this.chosenChip(label, true)) : []),
    ];
  }

  // How many labels are implied; their names where the pointer rests.
  foldingChip(task, implied) {
    const names = t("common.implied_names", { items: implied.map((label) => this.book.names[label]) });
    const onclick = ({ detail }) => {
      this.isOpen = !this.isOpen;
      this.show(task);
      if (detail === 0) byId("implied-chip").focus();
    };
    const attributes = { type: "button", id: "implied-chip", class: "chip implied", title: names, "aria-expanded": String(this.isOpen), onclick };
    return element("li", {}, element("button", attributes, t("common.implied_count", { n: implied.length })));
  }

  acceptText({ editing, chosen }) {
    if (editing) return t("workbench.save");
    return chosen.size || this.isSingle ? t("workbench.accept") : t("workbench.accept_none");
  }

  clear() {
    byId("chosen").replaceChildren();
    byId("offered").replaceChildren();
    setVisible(byId("chosen-none"), false);
  }

  offered({ entries, chosen, blind }) {
    if (blind) return [];
    return [...entries.values()].filter((entry) => entry.mark && !chosen.has(entry.class));
  }

  chosenChip(label, isImplied) {
    return this.chip(label, `chip${isImplied ? " implied" : ""}`, this.remove, [
      element("span", { class: "cross", "aria-hidden": "true" }, "\u00d7"),
      element("span", { class: "unseen" }, t("workbench.remove")),
    ]);
  }

  offeredChip(entry) {
    return this.chip(entry.class, "chip offered", this.choose, [
      element("span", { class: "probability" }, percent(entry.probability)),
      element("span", { class: "unseen" }, t("workbench.choose")),
    ]);
  }

  // After a click with the pointer the chip loses the focus, so that Enter accepts again.
  chip(label, kind, act, more) {
    const name = element("span", { class: "name", dir: "auto" }, this.book.names[label]);
    const onclick = ({ detail, currentTarget }) => {
      if (detail > 0) currentTarget.blur();
      act(label);
    };
    return element("li", {}, element("button", { type: "button", class: kind, "data-chip": label, onclick }, name, ...more));
  }
}
