// The workbench: wires the desk, the panels and the keys together.

import { Api } from "./api.js";
import { Decisions } from "./decisions.js";
import { Desk } from "./desk.js";
import { askNote, prepareDialogs, showKeys } from "./dialogs.js";
import { byId } from "./dom.js";
import { listen } from "./keys.js";
import { labelOfDigit, Labels } from "./labels.js";
import { Leases } from "./leases.js";
import { announce, complain, showOutbox, tell } from "./notices.js";
import { Outbox } from "./outbox.js";
import { Progress } from "./progress.js";
import { focusDocument, showFlag, showNote, showNothing, showReading, toTop } from "./reading.js";
import { toggle } from "./sitting.js";
import { Typeahead } from "./typeahead.js";
import { Why } from "./why.js";
import { Words } from "./words.js";

const token = document.querySelector('meta[name="csrf-token"]').content;
const api = new Api(document.body.dataset.project, token);
const outbox = new Outbox(api, showOutbox);

function panels(project, names) {
  const labels = new Labels(names, {
    toggle: (label) => switchLabel(label),
    point: (label) => words.point(label),
    words: project.has_words,
  });
  const words = new Words(api, names, { available: project.has_words, marked: (label) => labels.markWhy(label) });
  const why = new Why(api, names);
  const progress = new Progress(api);
  const decisions = new Decisions(api, names, (index) => desk.edit(index));
  const typeahead = new Typeahead(names, {
    isChosen: (label) => desk.current?.chosen.has(label) ?? false,
    toggle: (label) => switchLabel(label),
    leave: focusDocument,
  });

  const desk = new Desk(api, outbox, {
    present(sitting, reason) {
      typeahead.clear();
      if (!sitting) return showNothing(reason);
      showReading(sitting);
      labels.show(sitting);
      words.show(sitting);
      why.show(sitting);
      return toTop();
    },
    fetched(sitting) {
      if (sitting.blind) return;
      why.fetch(sitting);
      words.prepare(sitting);
    },
    changed() {
      progress.soon();
      decisions.soon();
    },
    complain,
    tell,
  });

  function switchLabel(label) {
    const sitting = desk.current;
    if (!sitting) return;
    const listed = sitting.sections.added.length;
    const on = toggle(sitting, label);
    if (sitting.sections.added.length > listed) labels.show(sitting);
    else labels.press(sitting);
    announce(`${names[label]} ${on ? "on" : "off"}`);
  }

  return { desk, typeahead, progress, decisions, switchLabel };
}

function commandsOf({ desk, typeahead, switchLabel }) {
  const change = ({ document: { index } }, what, value) => desk.send("PUT", `documents/${index}/${what}`, value);
  return {
    accept: () => desk.accept(),
    skip: () => desk.skip(),
    undo: () => desk.undo(),
    search: () => desk.current && typeahead.focus(),
    help: showKeys,
    leave: () => desk.leaveEditing(),
    again: () => desk.advance(),
    digit(key) {
      const label = desk.current && labelOfDigit(desk.current, key);
      if (label != null) switchLabel(label);
    },
    flag() {
      const sitting = desk.current;
      if (!sitting) return;
      sitting.flagged = !sitting.flagged;
      change(sitting, "flag", { flagged: sitting.flagged });
      showFlag(sitting);
      announce(sitting.flagged ? "Flagged" : "Flag taken away");
    },
    async note() {
      const sitting = desk.current;
      const note = sitting && (await askNote(sitting.note));
      if (note == null) return;
      sitting.note = note;
      change(sitting, "note", { note });
      if (sitting === desk.current) showNote(sitting);
    },
  };
}

// Buttons name their command in the page, as keys do in the key map.
function connect(commands, desk) {
  for (const button of document.querySelectorAll("[data-command]")) {
    button.addEventListener("click", (event) => {
      if (event.detail > 0) button.blur();
      commands[button.dataset.command]();
    });
  }
  byId("outbox-again").addEventListener("click", () => outbox.tryNow());
  addEventListener("online", () => outbox.tryNow());
  addEventListener("focus", () => outbox.trouble?.loggedOut && outbox.tryNow());
  addEventListener("beforeunload", (event) => outbox.unsaved && event.preventDefault());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) desk.current?.watch.stop();
    else desk.current?.watch.start();
  });
}

async function start() {
  prepareDialogs();
  const [project, { classes }] = await Promise.all([api.get(), api.get("classes")]);
  byId("guidelines-text").textContent = project.guidelines || "This project has no guidelines yet.";
  byId("search-label").textContent = `Search all ${classes.length.toLocaleString("en")} classes`;
  const parts = panels(project, classes);
  const { desk, progress, decisions } = parts;
  const commands = commandsOf(parts);
  connect(commands, desk);
  listen(commands);
  new Leases(api, project.lease_seconds, {
    held: () => desk.leased,
    lost(sitting, message) {
      complain(message);
      desk.drop(sitting);
    },
  });
  progress.refresh();
  decisions.refresh();
  await desk.open();
}

start().catch((error) => showNothing(error.message));
