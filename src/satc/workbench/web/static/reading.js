// The left-hand side of the page: the document, its heading and its signs.

import { byId, element, show } from "./dom.js";
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

// Which parts of the page are of use: `open`, `blind`, `editing`, `loading` or `empty`.
function setState(state) {
  const reading = ["open", "blind", "editing"].includes(state);
  document.body.dataset.state = state;
  for (const id of ["reading", "labels", "why"]) show(byId(id), reading);
  show(byId("nothing"), !reading);
  show(byId("editing-banner"), state === "editing");
  show(byId("blind-banner"), state === "blind");
  show(byId("leave-editing"), state === "editing");
  byId("accept-word").textContent = state === "editing" ? "Save" : "Accept";
  for (const command of ["accept", "skip"]) button(command).disabled = !reading;
  for (const command of ["skip", "undo"]) show(button(command), state !== "editing");
}

export function showReading(sitting) {
  setState(sitting.editing ? "editing" : sitting.blind ? "blind" : "open");
  byId("document-heading").textContent = heading(sitting);
  byId("document-id").textContent = sitting.document.id;
  byId("document-columns").replaceChildren(...columnRows(sitting.document.columns));
  showFlag(sitting);
  showNote(sitting);
}

export function showFlag({ flagged }) {
  byId("flag").setAttribute("aria-pressed", String(Boolean(flagged)));
  byId("flag-word").textContent = flagged ? "Flagged" : "Flag";
}

export function showNote({ note }) {
  show(byId("document-note"), Boolean(note));
  byId("document-note-text").textContent = note;
  byId("note-word").textContent = note ? "Edit note" : "Note";
}

// Nothing on the desk: either the next document is on its way, or there is a reason.
export function showNothing(reason) {
  setState(reason ? "empty" : "loading");
  byId("chosen").textContent = "nothing";
  byId("nothing-heading").textContent = reason ? "Nothing to validate just now" : "Fetching the next document";
  byId("nothing-reason").textContent = reason ?? "";
  show(byId("nothing-help"), Boolean(reason));
  if (reason) focusDocument();
}

// A screen reader begins at what has the focus.
export function focusDocument() {
  const heading = byId(byId("reading").hidden ? "nothing-heading" : "document-heading");
  heading.focus({ preventScroll: true });
}

// A new document is read from its beginning.
export function toTop() {
  byId("reading").scrollTop = 0;
  byId("side").scrollTop = 0;
  window.scrollTo(0, 0);
  focusDocument();
}
