// Why this document is next: one sentence, a sentence where opinions differ from
// the classifier, the most similar labelled documents, and a table with the
// prediction, the probability of an error, the gain of a correction, and their
// product, the utility, for each class. Where every document has one label, the
// probability of each class is shown in the place of that of an error.

import { byId, element, setVisible } from "./dom.js";
import { percent } from "./format.js";

const headings = (isSingle) => ["Class", "Predicted", isSingle ? "Probability" : "Error", "Gain", "Utility"];

const SMALLEST = 0.0001;

function figure(value) {
  if (value == null) return "";
  return value < SMALLEST ? `<${SMALLEST}` : value.toPrecision(2);
}

// A second row for a class: how the context changed the probability.
function contextRow({ before, moved_by: causes }) {
  if (!causes?.length) return [];
  const parts = causes.map(({ what, by }) => `${what} (${by < 0 ? "\u2212" : "+"}${Math.abs(by).toFixed(2)})`);
  const alone = before == null ? "" : `Probability by the score alone: ${percent(before)}. `;
  const text = `${alone}Changed by ${parts.join(", ")}.`;
  const cell = element("td", { class: "context", colspan: headings().length }, text);
  return [element("tr", {}, cell)];
}

export class Explanation {
  constructor(api, names, isSingle) {
    Object.assign(this, { api, names, isSingle });
    this.explanations = new WeakMap();
  }

  // Also called for the task that is fetched ahead.
  fetch(task) {
    const path = `documents/${task.document.index}/explanation`;
    const request = () => this.api.get(path).catch(() => null);
    if (!this.explanations.has(task)) this.explanations.set(task, request());
    return this.explanations.get(task);
  }

  // There is no explanation where predictions are hidden, or for an earlier decision.
  async show(task) {
    this.task = task;
    const wanted = !task.blind && !task.editing;
    setVisible(byId("why"), wanted);
    this.draw({ sentence: "", classes: [], disagreement: "", similar: [] });
    byId("why-table").replaceChildren();
    const explanation = wanted ? await this.fetch(task) : null;
    if (task !== this.task) return;
    setVisible(byId("why"), explanation !== null);
    if (explanation) this.draw(explanation);
  }

  draw({ sentence, classes, disagreement, similar }) {
    byId("why-sentence").textContent = sentence;
    byId("why-opinions").textContent = disagreement;
    setVisible(byId("why-opinions"), Boolean(disagreement));
    byId("similar-list").replaceChildren(...similar.map((one) => this.similarItem(one)));
    setVisible(byId("similar"), similar.length > 0);
    const head = element("tr", {}, ...headings(this.isSingle).map((text) => element("th", { scope: "col" }, text)));
    const rows = classes.flatMap((entry) => [this.row(entry), ...contextRow(entry)]);
    byId("why-table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  }

  similarItem({ id, text, labels, similarity }) {
    const names = labels.map((label) => this.names[label]).join(", ") || "no label";
    const about = [`${percent(similarity)} similar`, id].filter(Boolean).join(" \u00b7 ");
    return element(
      "li",
      {},
      text ? element("span", { class: "excerpt", dir: "auto" }, text) : null,
      element("span", { class: "given", dir: "auto" }, names),
      element("span", { class: "about", dir: "auto" }, about),
    );
  }

  row(entry) {
    const cells = [
      entry.decision ? "yes" : "no",
      percent(this.isSingle ? entry.probability : entry.p_error),
      figure(entry.gain),
      figure(entry.contribution),
    ];
    const head = element("th", { scope: "row", dir: "auto" }, this.names[entry.class]);
    return element("tr", {}, head, ...cells.map((text) => element("td", {}, text)));
  }
}
