// The left side of the page: the document with its heading, flag and note, or
// the reason why there is no document.

import { byId, element, setVisible } from "./dom.js";
import { count } from "./format.js";

function heading({ editing, position, n_documents: n }) {
  return editing ? "An earlier decision" : `Document ${count(position)} of ${count(n)}`;
}

function columnRows(columns) {
  const filled = Object.entries(columns ?? {}).filter(([, value]) => value !== null && value !== "");
  return filled.flatMap(([name, value]) => [
    element("dt", {}, name),
    element("dd", { dir: "auto" }, typeof value === "object" ? JSON.stringify(value) : String(value)),
  ]);
}

const button = (command) => document.querySelector(`.actions [data-command="${command}"]`);

// Shows the parts of the page that a state needs: `open`, `blind`, `editing`, `loading` or `empty`.
function setState(state) {
  const hasDocument = ["open", "blind", "editing"].includes(state);
  document.body.dataset.state = state;
  for (const id of ["reading", "labels", "why"]) setVisible(byId(id), hasDocument);
  setVisible(byId("no-document"), !hasDocument);
  setVisible(byId("editing-banner"), state === "editing");
  setVisible(byId("blind-banner"), state === "blind");
  setVisible(byId("cancel-editing"), state === "editing");
  byId("accept-word").textContent = state === "editing" ? "Save" : "Accept";
  for (const command of ["accept", "skip"]) button(command).disabled = !hasDocument;
  for (const command of ["skip", "undo"]) setVisible(button(command), state !== "editing");
}

export function showDocument(task) {
  setState(task.editing ? "editing" : task.blind ? "blind" : "open");
  byId("document-heading").textContent = heading(task);
  byId("document-id").textContent = task.document.id;
  byId("document-columns").replaceChildren(...columnRows(task.document.columns));
  showFlag(task);
  showNote(task);
}

export function showFlag({ flagged }) {
  byId("flag").setAttribute("aria-pressed", String(Boolean(flagged)));
  byId("flag-word").textContent = flagged ? "Flagged" : "Flag";
}

export function showNote({ note }) {
  setVisible(byId("document-note"), Boolean(note));
  byId("document-note-text").textContent = note;
  byId("note-word").textContent = note ? "Edit note" : "Note";
}

// Without a reason, the next document is being loaded.
export function showNoDocument(reason) {
  setState(reason ? "empty" : "loading");
  byId("chosen").textContent = "nothing";
  byId("no-document-heading").textContent = reason ?? "Loading the next document";
  setVisible(byId("no-document-help"), Boolean(reason));
  if (reason) focusHeading();
}

// Screen readers start at the element that has the focus.
export function focusHeading() {
  const id = byId("reading").hidden ? "no-document-heading" : "document-heading";
  byId(id).focus({ preventScroll: true });
}

export function scrollToTop() {
  byId("reading").scrollTop = 0;
  byId("side").scrollTop = 0;
  window.scrollTo(0, 0);
  focusHeading();
}
