// The dialogs: the list of keys, the guidelines, and the note on a document.

import { byId, element } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { forgetNote, keepNote, readNote } from "./drafts.js";
import { COMFORT_KEYS, KEYS } from "./keys.js";

function keyRow(shown, text) {
  const keys = shown.flatMap((name, i) => [i ? " " : "", name === "\u2026" ? name : element("kbd", {}, name)]);
  return [element("dt", {}, ...keys), element("dd", { dir: "auto" }, text)];
}

export function prepareDialogs(guidelines) {
  byId("guidelines-text").textContent = guidelines || t("workbench.no_guidelines");
  byId("note-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("note-save").click();
  });
  byId("guidelines").addEventListener("keydown", (event) => {
    if (event.key === "g") byId("guidelines").close();
  });
}

// The keys of classes come after those of the page, and replace them where they are the same.
export function listKeys(isSingle, book) {
  const commands = [...KEYS, ...COMFORT_KEYS.filter(({ keys }) => !book.keys.has(keys[0]))];
  const ofCommands = commands.filter(({ command }) => command !== "digit" || !book.isSmall);
  byId("keys-list").replaceChildren(
    ...ofCommands.flatMap(({ shown, text, single }) => keyRow(shown, t((isSingle && single) || text))),
    ...book.order.filter((label) => book.keyOf.has(label)).flatMap((label) => keyRow([book.keyOf.get(label)], book.names[label])),
  );
}

export const showKeys = () => byId("keys-dialog").showModal();

export const showGuidelines = () => byId("guidelines").showModal();

// Whether a note was being written when the page was loaded again.
export const hasUnsavedNote = (index) => readNote(index) !== null;

// Returns the new text, or null if the person changed nothing. What is written survives a reload.
export function askNote(index, text) {
  const dialog = byId("note-dialog");
  const field = byId("note-text");
  field.value = readNote(index) ?? text;
  dialog.returnValue = "";
  dialog.showModal();
  const keep = () => keepNote(index, field.value);
  field.addEventListener("input", keep);
  return new Promise((resolve) => {
    const answer = () => {
      field.removeEventListener("input", keep);
      forgetNote(index);
      const written = field.value.trim();
      resolve(dialog.returnValue === "save" && written !== text ? written : null);
    };
    dialog.addEventListener("close", answer, { once: true });
  });
}
