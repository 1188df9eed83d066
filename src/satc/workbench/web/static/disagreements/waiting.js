// The list of the disagreements that come after the current one.

import { byId, element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const MOST_LISTED = 12;

// "Only ann: corn", for a person who gave labels that the other one did not give.
function onlyGiven({ who, labels }, other, names) {
  const alone = labels.filter((label) => !other.labels.includes(label)).map((label) => names[label]);
  const said = alone.length ? t("disagreements.only_gave", { who, labels: alone }) : null;
  return said && element("span", { class: "said", dir: "auto" }, said);
}

function line(item, queue, names) {
  return element(
    "li",
    {},
    element(
      "button",
      { type: "button", class: "quiet", onclick: () => queue.choose(item) },
      element("span", { class: "id", dir: "auto" }, item.document.id),
      onlyGiven(item.first, item.second, names),
      onlyGiven(item.second, item.first, names),
    ),
  );
}

export function showQueue(queue, names) {
  const next = queue.items.slice(1, 1 + MOST_LISTED);
  setVisible(byId("waiting"), next.length > 0);
  byId("queue").replaceChildren(...next.map((item) => line(item, queue, names)));
}
