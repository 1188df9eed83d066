// The person's last decisions, the latest first; each can be opened and edited.

import { byId, element, setVisible } from "./dom.js";

const REFRESH_AFTER_CHANGE = 300;

const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hour12: false });

// Where predictions were hidden (null), nothing counts as corrected.
const isCorrected = (labels, predicted) =>
  predicted !== null &&
  (labels.length !== predicted.length || labels.some((label) => !predicted.includes(label)));

export class Decisions {
  // `edit(index)` opens a document again.
  constructor(api, names, edit) {
    Object.assign(this, { api, names, edit });
  }

  refreshSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), REFRESH_AFTER_CHANGE);
  }

  async refresh() {
    const answer = await this.api.get("decisions?limit=20&mine=true").catch(() => null);
    if (answer) this.draw(answer.decisions);
  }

  draw(decisions) {
    const focused = document.activeElement?.dataset?.edit;
    byId("decisions-list").replaceChildren(...decisions.map((decision) => this.item(decision)));
    setVisible(byId("decisions-none"), !decisions.length);
    if (focused) document.querySelector(`[data-edit="${Number(focused)}"]`)?.focus();
  }

  item({ document: { index, id, snippet }, labels, predicted, when, flagged, note }) {
    const names = labels.map((label) => this.names[label]).join(", ") || "no label";
    const signs = [isCorrected(labels, predicted) ? "corrected" : null, flagged ? "flagged" : null, note ? "note" : null];
    const attributes = {
      type: "button",
      class: "decision",
      "data-edit": index,
      "aria-label": `Edit the decision on document ${id}: ${names}`,
      onclick: () => this.edit(index),
    };
    const about = [clock.format(new Date(when)), ...signs.filter(Boolean)].join(" \u00b7 ");
    const button = element(
      "button",
      attributes,
      element("span", { class: "snippet", dir: "auto" }, snippet),
      element("span", { class: "given", dir: "auto" }, names),
      element("span", { class: "about" }, about),
    );
    return element("li", {}, button);
  }
}
