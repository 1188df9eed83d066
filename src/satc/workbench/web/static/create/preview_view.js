// What a file is understood to hold: its format, its first rows, documents, labels, errors.

import { element } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const SHOWN_CLASSES = 30;
const SHOWN_FAULTS = 5;
const SEPARATORS = { ",": "comma", ";": "semicolon", "\t": "tab" };

function separatorName(sign) {
  const name = SEPARATORS[sign];
  return name ? t(`create.separator_${name}`) : t("create.separator_other", { sign });
}

function formatName({ kind, separator, encoding }) {
  if (kind !== "csv") return t(`create.format_${kind || "other"}`);
  const values = { separator: separatorName(separator), encoding };
  return encoding ? t("create.format_csv_encoding", values) : t("create.format_csv", values);
}

export function sizeLine(preview) {
  const kind = formatName(preview.format);
  const { n_bytes: size } = preview;
  return size < 1e6 ? t("create.size_small", { kind, size: size / 1e3 }) : t("create.size", { kind, size: size / 1e6 });
}

export function rowsTable(preview) {
  const shown = preview.columns.slice(0, preview.rows[0]?.length ?? 0);
  if (!shown.length) return null;
  const heads = shown.map((name) => element("th", { scope: "col", dir: "auto" }, name));
  const rows = preview.rows.map((row) =>
    element("tr", {}, ...row.map((cell) => element("td", { dir: "auto" }, element("span", {}, cell)))),
  );
  const name = t("create.first_rows", { name: preview.name });
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  const area = element("div", { class: "rows", tabindex: 0, role: "region", "aria-label": name }, table);
  const more = preview.n_columns - shown.length;
  return element("div", {}, area, more > 0 ? element("p", { class: "muted" }, t("create.more_columns", { n: more })) : null);
}

function labelCounts({ n_labels: counts }) {
  const none = counts[0] ?? 0;
  const one = counts[1] ?? 0;
  const several = Object.entries(counts).reduce((sum, [n, times]) => sum + (n > 1 ? times : 0), 0);
  const lines = [];
  if (none) lines.push(t("create.n_none", { n: none }));
  if (one) lines.push(t("create.n_one", { n: one }));
  if (several) lines.push(t("create.n_several", { n: several }));
  return lines.join(" ");
}

function classList({ classes, n_classes: total }) {
  const items = classes
    .slice(0, SHOWN_CLASSES)
    .map(({ name, n }) => element("li", { dir: "auto" }, t("create.class_count", { name, n })));
  const more = total - items.length;
  if (more > 0) items.push(element("li", {}, t("create.more_classes", { n: more })));
  return element("ul", { class: "found-classes" }, ...items);
}

function countLine({ n_documents: n, complete, faults }) {
  if (complete || faults.length) return t("create.understood_documents", { n });
  return n ? t("create.understood_at_least", { n }) : t("create.understood_later");
}

const fault = (text) => element("p", { class: "notice error" }, element("span", { dir: "auto" }, text));

// Predictions are read as a whole: their error is not one of a row.
export function faultList(faults, isOfRows) {
  if (!faults.length) return null;
  if (!isOfRows) return fault(faults[0]);
  const lines = faults.slice(0, SHOWN_FAULTS).map((fault) => element("li", { dir: "auto" }, fault));
  return element(
    "div",
    { class: "notice error faults" },
    element("p", {}, t("create.faults", { n: faults.length })),
    element("ul", {}, ...lines),
    element("p", {}, t("create.faults_remedy")),
  );
}

export function bookView(understood) {
  const names = understood.classes.slice(0, SHOWN_CLASSES).map(({ name }) => element("li", { dir: "auto" }, name));
  const more = understood.n_classes - names.length;
  if (more > 0) names.push(element("li", {}, t("create.more_classes", { n: more })));
  const line = element("p", {}, element("strong", {}, t("create.understood_book", { n: understood.n_classes })));
  return element("div", { class: "understood" }, line, element("ul", { class: "found-classes" }, ...names));
}

// `hasLabels`: whether the file is to have labels.
export function understoodView(understood, { hasLabels, part }) {
  const isOfRows = part !== "predictions";
  if (!isOfRows && understood.faults.length) return faultList(understood.faults, isOfRows);
  const parts = [element("p", {}, element("strong", {}, countLine(understood)))];
  if (hasLabels && understood.n_classes) {
    parts.push(element("p", {}, t("create.understood_classes", { n: understood.n_classes })), classList(understood));
    parts.push(element("p", {}, labelCounts(understood)));
    if (understood.kind) {
      const kind = t(`create.kind_${understood.kind}`);
      parts.push(element("p", {}, t("create.understood_kind", { kind })));
    }
  } else if (hasLabels && understood.n_documents && !understood.faults.length) {
    parts.push(element("p", { class: "notice error" }, element("span", {}, t("create.no_labels"))));
  }
  return element("div", { class: "understood" }, ...parts, faultList(understood.faults, isOfRows));
}
