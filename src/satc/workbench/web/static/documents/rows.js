// The rows of the table.

import { breakable, element } from "../shared/dom.js";
import { datetime } from "../shared/format.js";
import { t } from "../shared/messages.js";

const UNMARKED = ["ranked", "second"]; // the usual reason; second readings have a line of their own

const muted = (text) => element("span", { class: "muted" }, text);

function excerpt(pieces) {
  const parts = pieces.map(({ text, match }) => (match ? element("mark", {}, text) : text));
  return element("p", { class: "excerpt", dir: "auto" }, ...parts);
}

function labelItem(name, kind) {
  if (!kind) return element("li", { dir: "auto" }, ...breakable(name));
  const [tag, about] = kind === "added" ? ["ins", t("documents.added_label")] : ["del", t("documents.removed_label")];
  const spoken = element("span", { class: "unseen" }, `${about} `);
  return element("li", { dir: "auto" }, spoken, element(tag, {}, ...breakable(name)));
}

function labelList(items) {
  return items.length ? element("ul", { class: "names" }, ...items) : muted(t("documents.no_labels"));
}

// Of labels that others imply only the number is shown, except those that have changed.
function labelItems(labels, classes, kindOf = () => "") {
  const { shown, implied } = classes.fold(labels);
  const items = [...shown, ...implied.filter(kindOf)].map((label) => labelItem(classes.name(label), kindOf(label)));
  const n = implied.filter((label) => !kindOf(label)).length;
  return n ? [...items, element("li", { class: "muted" }, t("common.implied_count", { n }))] : items;
}

function predictedCell(row, classes) {
  if (row.predicted === null) return muted(t("documents.prediction_hidden"));
  return labelList(labelItems(row.predicted, classes));
}

// The decided labels; those that people added or removed are marked.
function decidedCell(row, classes) {
  if (row.hidden) return muted(t("documents.decision_hidden"));
  if (row.labels === null) return muted(t("documents.not_decided"));
  const before = new Set(row.predicted ?? row.labels);
  const after = new Set(row.labels);
  const kept = labelItems(row.labels, classes, (label) => (before.has(label) ? "" : "added"));
  const removed = classes.inOrder(before).filter((label) => !after.has(label));
  const items = [...kept, ...removed.map((label) => labelItem(classes.name(label), "removed"))];
  return row.labels.length ? labelList(items) : element("div", {}, muted(t("documents.no_labels")), labelList(items));
}

function whoCell(row) {
  if (!row.who) return null;
  return element("div", {}, element("span", { dir: "auto" }, row.who), " ", muted(datetime(row.when)));
}

function marks(row, classes) {
  const found = [];
  const add = (text, kind = "") => found.push(element("li", { class: kind, dir: "auto" }, text));
  if (row.flagged) add(t("documents.flagged"), "flag");
  if (row.disagreed) add(t("documents.disagreed"), "flag");
  if (row.skipped) add(t("documents.skipped"));
  if (row.open_by) add(t("documents.open_by", { who: row.open_by }));
  for (const source of row.sources) if (!UNMARKED.includes(source)) add(t(`documents.source_${source}`));
  for (const { who, labels } of row.opinions) {
    const names = labels.length ? classes.inOrder(labels).map((label) => classes.name(label)) : [t("documents.no_labels")];
    add(t("documents.second_reading", { who, labels: names }), "long");
  }
  if (row.note) add(t("documents.note", { text: row.note }), "long note");
  return found.length ? element("ul", { class: "badges" }, ...found) : null;
}

function cell(name, content) {
  const attributes = { role: "cell", "data-name": name, class: content ? null : "empty" };
  return element("td", attributes, content);
}

// A click anywhere in a row opens its document.
export function documentRow(row, classes, address) {
  const link = element("a", { class: "open", href: address(row.index), dir: "auto" }, row.id);
  return element(
    "tr",
    { role: "row", "data-index": row.index },
    element("td", { role: "cell", class: "document" }, link, excerpt(row.excerpt)),
    cell(t("documents.column_predicted"), predictedCell(row, classes)),
    cell(t("documents.column_decided"), decidedCell(row, classes)),
    cell(t("documents.column_when"), whoCell(row)),
    cell(t("documents.column_marks"), marks(row, classes)),
  );
}
