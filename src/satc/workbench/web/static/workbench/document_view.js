// The left side of the page: the document with its heading, flag and note, or
// the reason why there is no document.

import { byId, element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";

function heading({ editing, second, position: n, n_documents: total }) {
  if (editing) return t("workbench.earlier_decision");
  return second ? t("workbench.second_reading") : t("workbench.document_number", { n, total });
}

function columnRows(columns) {
  const filled = Object.entries(columns ?? {}).filter(([, value]) => value !== null && value !== "");
  return filled.flatMap(([name, value]) => [
    element("dt", { dir: "auto" }, name),
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
  byId("flag-word").textContent = t(flagged ? "workbench.is_flagged" : "workbench.flag");
}

export function showNote({ note }) {
  setVisible(byId("document-note"), Boolean(note));
  byId("document-note-text").textContent = note;
  byId("note-word").textContent = t(note ? "workbench.edit_note" : "workbench.note");
}

// Without a reason, the next document is being loaded.
export function showNoDocument(reason) {
  setState(reason ? "empty" : "loading");
  byId("no-document-heading").textContent = reason ?? t("workbench.loading");
  setVisible(byId("no-document-help"), Boolean(reason));
  if (reason) focusHeading();
}

// Screen readers start at the element that has the focus.
export function focusHeading() {
  const heading = byId(byId("reading").hidden ? "no-document-heading" : "document-heading");
  if (document.activeElement !== heading) heading.focus({ preventScroll: true });
}

// The parts that were scrolled. To ask the browser, or to move what is at the top already, would
// make it lay out the page before the words are marked, and then again.
const scrolled = new Set();
for (const id of ["scroller", "reading", "side", "chip-row"]) {
  byId(id).addEventListener("scroll", () => scrolled.add(id), { passive: true });
}

// A new document is read from its beginning. The panel beside it stays where it is, unless
// `sideToo` says that it shows other labels now.
export function scrollToTop({ sideToo }) {
  for (const id of ["scroller", "reading", "chip-row", ...(sideToo ? ["side"] : [])]) {
    if (scrolled.delete(id)) byId(id).scrollTo(0, 0);
  }
  focusHeading();
}
