// The two dialogs: the list of keys, and the note on a document.

import { byId, element } from "./dom.js";
import { KEYS } from "./keys.js";

function keyRow({ shown, text, single }, isSingle) {
  const keys = shown.flatMap((name, i) => [i ? " " : "", name === "\u2026" ? name : element("kbd", {}, name)]);
  return [element("dt", {}, ...keys), element("dd", {}, isSingle && single ? single : text)];
}

export function prepareDialogs() {
  byId("note-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("note-save").click();
  });
}

// The keys of classes come after those of the page.
export function listKeys(isSingle, book) {
  const ofClasses = [...book.keys].map(([key, label]) => ({ shown: [key], text: book.names[label] }));
  byId("keys-list").replaceChildren(...[...KEYS, ...ofClasses].flatMap((entry) => keyRow(entry, isSingle)));
}

export const showKeys = () => byId("keys-dialog").showModal();

// Returns the new text, or null if the person changed nothing.
export function askNote(text) {
  const dialog = byId("note-dialog");
  byId("note-text").value = text;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const answer = () => {
      const written = byId("note-text").value.trim();
      resolve(dialog.returnValue === "save" && written !== text ? written : null);
    };
    dialog.addEventListener("close", answer, { once: true });
  });
}
