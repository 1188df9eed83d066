// The card of classes that need attention: many expected errors, or little agreement.

import { byId, element } from "../shared/dom.js";
import { count } from "../shared/format.js";
import { t } from "../shared/messages.js";
import { documentsLink, number, paragraph, table } from "./tables.js";

// Leads to the undecided documents that have a label.
const classLink = ({ label, name }) => documentsLink({ predicted: label, state: "undecided" }, name);

const about = (n) => (n < 0.5 ? `<${count(1)}` : count(Math.round(n)));

function errorsTable(errors) {
  if (errors === null) return [paragraph(t("manage.errors_unknown"), "muted")];
  if (!errors.length) return [paragraph(t("manage.no_errors"), "muted")];
  const headings = [t("manage.class"), ...["predicted", "wrong", "missing"].map((name) => number(t(`manage.column_${name}`)))];
  const rows = errors.map((one) => [
    classLink(one),
    number(count(one.predicted)),
    number(about(one.wrong)),
    number(about(one.missing)),
  ]);
  return [
    element("h3", {}, t("manage.errors_table")),
    paragraph(t("manage.errors_help"), "muted"),
    table(t("manage.errors_table"), headings, rows),
  ];
}

function agreementTable(agreement) {
  if (!agreement.length) return [];
  const headings = [t("manage.class"), number(t("manage.column_either")), number(t("manage.column_both"))];
  const rows = agreement.map((one) => [one.name, number(count(one.n_either)), number(count(one.n_both))]);
  return [
    element("h3", {}, t("manage.agreement")),
    paragraph(t("manage.agreement_help"), "muted"),
    table(t("manage.agreement"), headings, rows),
  ];
}

const column = (nodes) => (nodes.length ? [element("div", {}, ...nodes)] : []);

export function showAttention({ errors, agreement }) {
  byId("attention").replaceChildren(...column(errorsTable(errors)), ...column(agreementTable(agreement)));
}
