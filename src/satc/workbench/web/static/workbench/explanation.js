// Why this document is next: one sentence, a sentence where opinions differ from
// the classifier, the most similar labelled documents, and a table with the
// prediction, the probability of an error, the gain of a correction, and their
// product, the utility, for each class. Where every document has one label, the
// probability of each class is shown in the place of that of an error.

import { breakable, byId, element, setVisible } from "../shared/dom.js";
import { percent } from "../shared/format.js";
import { t } from "../shared/messages.js";

const headings = (isSingle) =>
  ["class", "predicted", isSingle ? "probability" : "error", "gain", "utility"].map((name) => t(`workbench.column_${name}`));

const SMALLEST = 0.0001;

// The same text is 100% similar, though its cosine may be a little less than 1.
const rounded = (similarity) => Math.round(100 * similarity) / 100;

function figure(value) {
  if (value == null) return "";
  return value < SMALLEST ? `<${SMALLEST}` : value.toPrecision(2);
}

// A second row for a class: how the context changed the probability.
function contextRow({ before, moved_by: causes }) {
  if (!causes?.length) return [];
  const parts = causes.map(({ what, by }) => `${what} (${by < 0 ? "\u2212" : "+"}${Math.abs(by).toFixed(2)})`);
  const values = { before, causes: parts.join(", ") };
  const text = t(before == null ? "workbench.changed_by" : "workbench.changed_by_from", values);
  const cell = element("td", { class: "context", colspan: headings().length }, text);
  return [element("tr", {}, cell)];
}

export class Explanation {
  constructor(api, book, isSingle) {
    Object.assign(this, { api, book, isSingle });
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
    const names = this.book.textOf(labels);
    const about = [t("workbench.similar_by", { p: rounded(similarity) }), id].filter(Boolean).join(" \u00b7 ");
    return element(
      "li",
      {},
      text ? element("span", { class: "excerpt", dir: "auto" }, text) : null,
      element("span", { class: "given", dir: "auto" }, ...breakable(names)),
      element("span", { class: "about", dir: "auto" }, about),
    );
  }

  row(entry) {
    const cells = [
      t(entry.decision ? "workbench.yes" : "workbench.no"),
      percent(this.isSingle ? entry.probability : entry.p_error),
      figure(entry.gain),
      figure(entry.contribution),
    ];
    const head = element("th", { scope: "row", dir: "auto" }, ...breakable(this.book.names[entry.class]));
    return element("tr", {}, head, ...cells.map((text) => element("td", {}, text)));
  }
}
