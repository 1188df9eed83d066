// Tables of the managers' pages. A wide table scrolls sideways by itself on a
// phone; one with buttons ("stacked") shows each row as a block there. Roles are
// given because a row that is shown as a block is no row for screen readers.

import { projectAddress } from "../shared/addresses.js";
import { element } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { projectName } from "./requests.js";

// A cell is a text, a node, or { text, kind }: "number" cells are aligned at the end.
const parts = (given) => (Object.hasOwn(Object(given), "kind") ? given : { text: given, kind: null });

function heading(given, scope, role) {
  const { text, kind } = parts(given);
  return element("th", { scope, role, class: kind, dir: "auto" }, text);
}

function cell(given, label) {
  const { text, kind } = parts(given);
  return element("td", { role: "cell", class: kind, "data-label": label }, text ?? "");
}

export const number = (text) => ({ text, kind: "number" });

export function table(label, headings, rows, kind = null) {
  const labels = headings.map((one) => parts(one).text);
  const head = headings.map((one) => heading(one, "col", "columnheader"));
  const body = rows.map(([first, ...rest]) => {
    const cells = rest.map((one, i) => cell(one, labels[i + 1]));
    return element("tr", { role: "row" }, heading(first, "row", "rowheader"), ...cells);
  });
  return element(
    "div",
    { class: "scroll", role: "region", "aria-label": t("manage.table_label", { name: label }), tabindex: 0 },
    element(
      "table",
      { role: "table", class: kind },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...head)),
      element("tbody", { role: "rowgroup" }, ...body),
    ),
  );
}

// A link to the table of documents, with filters.
export const documentsLink = (filters, text) =>
  element("a", { href: projectAddress(projectName, `/documents?${new URLSearchParams(filters)}`) }, text);

export const paragraph = (text, kind = "") => element("p", { class: kind || null }, text);
