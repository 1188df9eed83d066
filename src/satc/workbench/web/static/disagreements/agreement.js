// The tables of agreement by person and by class, and how the agreement of each
// person has changed.

import { byId, element, setVisible } from "../shared/dom.js";
import { count } from "../shared/format.js";
import { t } from "../shared/messages.js";
import { driftLine } from "./drift.js";

const FEW_CLASSES = 12;

const figure = (value) => (value == null ? "\u2013" : value.toFixed(2));

const row = (cells) =>
  element("tr", {}, ...cells.map((cell, i) => element(i ? "td" : "th", i ? {} : { scope: "row", dir: "auto" }, cell)));

function fillTable(table, heads, rows) {
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
  table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows.map(row)));
}

function showPeople(people) {
  const heads = [
    t("disagreements.person"),
    t("disagreements.documents_shared"),
    t("disagreements.same_labels"),
    t("disagreements.kappa"),
    t("disagreements.settled_right"),
  ];
  const rows = people.map(({ who, documents, same, kappa, settled, right }) => [
    who,
    count(documents),
    count(same),
    figure(kappa),
    settled ? t("disagreements.right_of", { right, n: settled }) : "\u2013",
  ]);
  fillTable(byId("people"), heads, rows);
  byId("drifts").replaceChildren(...people.map(driftLine));
}

function showClasses(classes, names, all) {
  const heads = [
    t("disagreements.class"),
    t("disagreements.both_gave"),
    t("disagreements.one_gave"),
    t("disagreements.alpha"),
  ];
  const shown = all ? classes : classes.slice(0, FEW_CLASSES);
  const rows = shown.map((line) => [names[line.class], count(line.both), count(line.one), figure(line.alpha)]);
  fillTable(byId("by-class"), heads, rows);
  const button = byId("all-classes");
  setVisible(button, shown.length < classes.length);
  button.textContent = t("disagreements.show_all_classes", { n: classes.length });
  button.onclick = () => showClasses(classes, names, true);
}

export function showAgreement({ documents, same, classes, people }, { names }) {
  setVisible(byId("agreement"), documents > 0);
  if (!documents) return;
  const values = { n: documents, same, share: same / documents };
  byId("agreement-text").textContent = t("disagreements.agreement_text", values);
  setVisible(byId("people-heading"), people.length > 0);
  setVisible(byId("people").parentElement, people.length > 0);
  showPeople(people);
  showClasses(classes, names, false);
}
