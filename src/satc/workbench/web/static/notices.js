// Notices at the top of the page: errors and news, each until it is dismissed,
// and the state of the outbox.

import { byId, element, setVisible } from "./dom.js";
import { plural } from "./format.js";

const MOST_ALERTS = 4;

export function noticeLine(text, kind, onDismiss) {
  const close = element("button", { type: "button", onclick: onDismiss }, "Dismiss");
  return element("p", { class: `notice ${kind}` }, element("span", {}, text), close);
}

function addAlert(text, kind) {
  const line = noticeLine(text, kind, () => line.remove());
  const list = byId("alerts");
  list.append(line);
  while (list.children.length > MOST_ALERTS) list.firstElementChild.remove();
}

export const showError = (text) => addAlert(text, "error");

export const showInfo = (text) => addAlert(text, "info");

// Only screen readers notice this.
export function announce(text) {
  byId("announcement").textContent = text;
}

function outboxText(problem, unsaved) {
  const what = unsaved ? `${plural(unsaved, "change")} not saved yet` : "The server did not answer";
  if (problem.isLoggedOut) return `${what}: you are no longer logged in. Nothing is lost while this page stays open.`;
  return `${what}: trying again. ${problem.message}`;
}

export function showOutbox(problem, unsaved) {
  setVisible(byId("outbox"), problem !== null);
  if (!problem) {
    byId("outbox-text").textContent = "";
    announce("All changes are saved.");
    return;
  }
  const text = outboxText(problem, unsaved);
  if (byId("outbox-text").textContent !== text) byId("outbox-text").textContent = text;
  setVisible(byId("outbox-login"), problem.isLoggedOut);
}
