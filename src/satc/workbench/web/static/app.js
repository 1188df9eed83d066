// The workbench page: connects the task queue, the panels, the buttons and the keys.

import { Api } from "./api.js";
import { Decisions } from "./decisions.js";
import { askNote, listKeys, prepareDialogs, showKeys } from "./dialogs.js";
import { focusHeading, scrollToTop, showDocument, showFlag, showNoDocument, showNote } from "./document_view.js";
import { DigitPreference } from "./digit_preference.js";
import { byId, setVisible } from "./dom.js";
import { Explanation } from "./explanation.js";
import { listenToKeys } from "./keys.js";
import { labelOfDigit, Labels } from "./labels.js";
import { Leases } from "./leases.js";
import { announce, showError, showInfo, showOutbox } from "./notices.js";
import { Outbox } from "./outbox.js";
import { Progress } from "./progress.js";
import { chooseLabel, listFewClasses, toggleLabel } from "./task.js";
import { TaskQueue } from "./task_queue.js";
import { Typeahead } from "./typeahead.js";
import { Words } from "./words.js";

const token = document.querySelector('meta[name="csrf-token"]').content;
const api = new Api(document.body.dataset.project, token);
const outbox = new Outbox(api, showOutbox);

function makePanels(project, names) {
  const isSingle = project.task === "single-label";
  const labels = new Labels(names, {
    toggle: (label) => switchLabel(label),
    showWords: (label) => words.markSoon(label),
    hasWords: project.has_words,
    isSingle,
  });
  const words = new Words(api, names, {
    available: project.has_words,
    marked: (label) => labels.showMarkedLabel(label),
  });
  const explanation = new Explanation(api, names, isSingle);
  const progress = new Progress(api, isSingle);
  const decisions = new Decisions(api, names, (index) => queue.edit(index));
  const typeahead = new Typeahead(names, {
    isChosen: (label) => queue.current?.chosen.has(label) ?? false,
    toggle: (label) => switchLabel(label),
    leave: focusHeading,
    once: isSingle,
  });

  const queue = new TaskQueue(api, outbox, {
    present(task, reason) {
      typeahead.clear();
      if (!task) return showNoDocument(reason);
      showDocument(task);
      if (isSingle) listFewClasses(task, names.length);
      labels.show(task);
      words.show(task);
      explanation.show(task);
      return scrollToTop();
    },
    fetched(task) {
      if (task.blind) return;
      explanation.fetch(task);
      words.prefetch(task);
    },
    changed() {
      progress.refreshSoon();
      decisions.refreshSoon();
    },
    showError,
    showInfo,
  });

  function switchLabel(label) {
    const task = queue.current;
    if (!task) return;
    const listed = task.sections.added.length;
    const said = change(task, label);
    if (task.sections.added.length > listed) labels.show(task);
    else labels.showState(task);
    announce(`${names[label]} ${said}`);
  }

  function change(task, label) {
    if (!isSingle) return toggleLabel(task, label) ? "on" : "off";
    chooseLabel(task, label);
    return "chosen";
  }

  // None cannot be stored where every document has exactly one label.
  function accept() {
    const isMissing = isSingle && queue.current?.chosen.size === 0;
    if (isMissing) setVisible(byId("must-choose"), true);
    else queue.accept();
  }

  return { queue, typeahead, progress, decisions, switchLabel, accept, isSingle };
}

function makeCommands({ queue, typeahead, switchLabel, accept, isSingle }) {
  const digits = isSingle ? new DigitPreference() : null;
  const change = ({ document: { index } }, what, value) => queue.send("PUT", `documents/${index}/${what}`, value);
  return {
    accept,
    skip: () => queue.skip(),
    undo: () => queue.undo(),
    search: () => queue.current && typeahead.focus(),
    help: showKeys,
    cancel: () => queue.stopEditing(),
    again: () => queue.advance(),
    digit(key) {
      const label = queue.current && labelOfDigit(queue.current, key);
      if (label == null) return;
      switchLabel(label);
      if (digits?.submits) accept();
    },
    flag() {
      const task = queue.current;
      if (!task) return;
      task.flagged = !task.flagged;
      change(task, "flag", { flagged: task.flagged });
      showFlag(task);
      announce(task.flagged ? "Flagged" : "Flag removed");
    },
    async note() {
      const task = queue.current;
      const note = task && (await askNote(task.note));
      if (note == null) return;
      task.note = note;
      change(task, "note", { note });
      if (task === queue.current) showNote(task);
    },
  };
}

// Each button names its command in the attribute data-command.
function connectButtons(commands, queue) {
  for (const button of document.querySelectorAll("[data-command]")) {
    button.addEventListener("click", (event) => {
      if (event.detail > 0) button.blur();
      commands[button.dataset.command]();
    });
  }
  byId("outbox-again").addEventListener("click", () => outbox.tryNow());
  addEventListener("online", () => outbox.tryNow());
  addEventListener("focus", () => outbox.problem?.isLoggedOut && outbox.tryNow());
  addEventListener("beforeunload", (event) => outbox.unsaved && event.preventDefault());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) queue.current?.stopwatch.stop();
    else queue.current?.stopwatch.start();
  });
}

async function start() {
  prepareDialogs();
  const [project, { classes }] = await Promise.all([api.get(), api.get("classes")]);
  byId("guidelines-text").textContent = project.guidelines || "This project has no guidelines.";
  byId("search-label").textContent = `Search all ${classes.length.toLocaleString("en")} classes`;
  const panels = makePanels(project, classes);
  listKeys(panels.isSingle);
  const { queue, progress, decisions } = panels;
  const commands = makeCommands(panels);
  connectButtons(commands, queue);
  listenToKeys(commands);
  new Leases(api, project.lease_seconds, {
    held: () => queue.leased,
    lost(task, message) {
      showError(message);
      queue.drop(task);
    },
  });
  progress.refresh();
  decisions.refresh();
  await queue.open();
}

start().catch((error) => showNoDocument(error.message));
