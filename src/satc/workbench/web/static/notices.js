// What the page has to say about its own work: a refusal by the server or a
// piece of news, each until it is dismissed, and the state of the outbox.

import { byId, element, show } from "./dom.js";
import { plural } from "./format.js";

const MOST = 4;

function notice(text, kind) {
  const close = element("button", { type: "button", onclick: () => line.remove() }, "Dismiss");
  const line = element("p", { class: `notice ${kind}` }, element("span", {}, text), close);
  const list = byId("complaints");
  list.append(line);
  while (list.children.length > MOST) list.firstElementChild.remove();
}

export const complain = (text) => notice(text, "trouble");

export const tell = (text) => notice(text, "news");

export function announce(text) {
  byId("announcement").textContent = text;
}

function sentence(trouble, unsaved) {
  const what = unsaved ? `${plural(unsaved, "change")} not saved yet` : "The server did not answer";
  if (trouble.loggedOut) return `${what}: you are no longer logged in. Nothing is lost while this page stays open.`;
  return `${what}: trying again. ${trouble.message}`;
}

export function showOutbox(trouble, unsaved) {
  show(byId("outbox"), trouble !== null);
  if (!trouble) {
    byId("outbox-text").textContent = "";
    announce("Everything is saved.");
    return;
  }
  const text = sentence(trouble, unsaved);
  if (byId("outbox-text").textContent !== text) byId("outbox-text").textContent = text;
  show(byId("outbox-login"), trouble.loggedOut);
}
