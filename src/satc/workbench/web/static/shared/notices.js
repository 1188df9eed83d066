// Notices at the top of the page: errors and news, and the state of the outbox. A
// notice goes away when it is dismissed, after some seconds (not while the pointer
// or the focus is on it), and an error also when a later action has succeeded. News
// replace the news before them, so that they do not pile up over the text.

import { byId, element, setVisible } from "./dom.js";
import { t } from "./messages.js";

const MOST_ALERTS = 4;
const MILLISECONDS = { error: 15000, info: 7000 };

export function noticeLine(text, kind, onDismiss) {
  const close = element("button", { type: "button", onclick: onDismiss }, t("common.dismiss"));
  return element("p", { class: `notice ${kind}` }, element("span", {}, text), close);
}

function removeLater(line, milliseconds) {
  let timer = null;
  const start = () => (timer = setTimeout(() => line.remove(), milliseconds));
  const stop = () => clearTimeout(timer);
  for (const event of ["mouseenter", "focusin"]) line.addEventListener(event, stop);
  for (const event of ["mouseleave", "focusout"]) line.addEventListener(event, start);
  start();
}

// News replaces the news before it, and an error the same error: notices do not pile up.
function isReplaced(line, text, kind) {
  return line.classList.contains(kind) && (kind === "info" || line.firstElementChild.textContent === text);
}

function addAlert(text, kind) {
  const line = noticeLine(text, kind, () => line.remove());
  line.dataset.shown = performance.now();
  removeLater(line, MILLISECONDS[kind]);
  const list = byId("alerts");
  for (const before of [...list.children]) if (isReplaced(before, text, kind)) before.remove();
  list.append(line);
  while (list.children.length > MOST_ALERTS) list.firstElementChild.remove();
}

export const showError = (text) => addAlert(text, "error");

export function showInfo(text) {
  byId("alerts").querySelectorAll(".info").forEach((line) => line.remove());
  addAlert(text, "info");
}

// An action that began at the time `since` has succeeded: errors from before it are over.
export function removeErrorsBefore(since) {
  for (const line of byId("alerts").querySelectorAll(".error")) if (Number(line.dataset.shown) < since) line.remove();
}

// Only screen readers notice this.
export function announce(text) {
  byId("announcement").textContent = text;
}

function outboxText(problem, unsaved) {
  const values = { n: unsaved, message: problem.message };
  if (problem.isLoggedOut) return t(unsaved ? "common.unsaved_logged_out" : "common.no_answer_logged_out", values);
  return t(unsaved ? "common.unsaved_trying_again" : "common.no_answer_trying_again", values);
}

export function showOutbox(problem, unsaved) {
  setVisible(byId("outbox"), problem !== null);
  if (!problem) {
    byId("outbox-text").textContent = "";
    announce(t("common.all_saved"));
    return;
  }
  const text = outboxText(problem, unsaved);
  if (byId("outbox-text").textContent !== text) byId("outbox-text").textContent = text;
  setVisible(byId("outbox-login"), problem.isLoggedOut);
}
