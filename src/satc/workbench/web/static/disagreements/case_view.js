// One disagreement: the document, and the two answers side by side.

import { breakable, byId, element, setVisible } from "../shared/dom.js";
import { datetime } from "../shared/format.js";
import { t } from "../shared/messages.js";

const STATES = {
  shared: () => t("disagreements.given_by_both"),
  alone: (who) => t("disagreements.given_by_one", { who }),
  absent: () => t("disagreements.not_given"),
};

function labelLine(name, state, who) {
  return element(
    "li",
    { class: state },
    element("span", { class: "name", dir: "auto" }, ...breakable(name)),
    element("span", { class: "state", dir: "auto" }, STATES[state](who)),
  );
}

// Both lists have the same labels in the same order: first those that only one person gave.
function labelList(answer, other, names) {
  const stateOf = (label) => {
    if (!answer.labels.includes(label)) return "absent";
    return other.labels.includes(label) ? "shared" : "alone";
  };
  const isShared = (label) => stateOf(label) === "shared";
  const all = [...new Set([...answer.labels, ...other.labels])];
  const ordered = all.sort((a, b) => isShared(a) - isShared(b) || a - b);
  const lines = ordered.map((label) => labelLine(names[label], stateOf(label), answer.who));
  return element("ul", { class: "given" }, ...lines);
}

function showAnswer(place, key, answer, other, names, settle) {
  const role = place === "first" ? t("disagreements.in_force") : t("disagreements.second_opinion");
  const heading = element("h3", { id: `who-${place}`, dir: "auto" }, answer.who);
  const about = element("p", { class: "muted" }, `${role} · ${datetime(answer.when)}`);
  const button = element(
    "button",
    { type: "button", class: "main", "aria-keyshortcuts": key, onclick: () => settle(answer.labels) },
    element("span", { dir: "auto" }, t("disagreements.is_right", { who: answer.who })),
    " ",
    element("kbd", { "aria-hidden": "true" }, key),
  );
  byId(`answer-${place}`).replaceChildren(heading, about, labelList(answer, other, names), button);
}

function showDocument({ document: shown, note, own }) {
  byId("document-id").textContent = shown.id;
  byId("document-text").textContent = shown.text;
  byId("document-text").scrollTop = 0;
  const columns = Object.entries(shown.columns).flatMap(([name, value]) => [
    element("dt", { dir: "auto" }, name),
    element("dd", { dir: "auto" }, String(value ?? "")),
  ]);
  byId("document-columns").replaceChildren(...columns);
  byId("document-note").textContent = note ? t("disagreements.note", { note }) : "";
  setVisible(byId("document-note"), Boolean(note));
  setVisible(byId("own"), own);
}

// `settle(labels)` is called with the labels of the answer that is right.
export function showCase(item, names, settle) {
  showDocument(item);
  showAnswer("first", "1", item.first, item.second, names, settle);
  showAnswer("second", "2", item.second, item.first, names, settle);
}
