// Why this document is next: the sentence of the explanation, and per class
// what was decided, how likely that is wrong, and what putting it right brings.

import { byId, element, show } from "./dom.js";
import { percent } from "./format.js";

const HEADS = ["Class", "Decided", "May be wrong", "Gain", "Contribution"];

const figure = (value) => (value == null ? "" : Number(value).toPrecision(2));

// What moved the probability since the classifier gave it, in a row of its own.
function moved({ before, moved_by: causes }) {
  if (!causes?.length) return [];
  const parts = causes.map(({ what, by }) => `${what} ${by < 0 ? "\u2212" : "+"}${Math.abs(by).toFixed(2)}`);
  const from = before == null ? "" : `from ${percent(before)}: `;
  const cell = element("td", { class: "moved", colspan: HEADS.length }, `${from}${parts.join(", ")}`);
  return [element("tr", {}, cell)];
}

export class Why {
  constructor(api, names) {
    Object.assign(this, { api, names });
    this.explanations = new WeakMap();
  }

  // Also called for the document fetched ahead.
  fetch(sitting) {
    const path = `documents/${sitting.document.index}/explanation`;
    const ask = () => this.api.get(path).catch(() => null);
    if (!this.explanations.has(sitting)) this.explanations.set(sitting, ask());
    return this.explanations.get(sitting);
  }

  // Nothing is said where predictions are hidden, nor of a document that had its turn.
  async show(sitting) {
    this.sitting = sitting;
    const due = !sitting.blind && !sitting.editing;
    show(byId("why"), due);
    byId("why-sentence").textContent = "";
    byId("why-table").replaceChildren();
    const explanation = due ? await this.fetch(sitting) : null;
    if (sitting !== this.sitting) return;
    show(byId("why"), explanation !== null);
    if (explanation) this.draw(explanation);
  }

  draw({ sentence, classes }) {
    byId("why-sentence").textContent = sentence;
    const head = element("tr", {}, ...HEADS.map((text) => element("th", { scope: "col" }, text)));
    const rows = classes.flatMap((entry) => [this.row(entry), ...moved(entry)]);
    byId("why-table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  }

  row(entry) {
    const cells = [
      entry.decision ? "yes" : "no",
      percent(entry.p_error),
      figure(entry.gain),
      figure(entry.contribution),
    ];
    const head = element("th", { scope: "row", dir: "auto" }, this.names[entry.class]);
    return element("tr", {}, head, ...cells.map((text) => element("td", {}, text)));
  }
}
