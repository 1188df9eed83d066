// The workbench page: connects the task queue, the panels, the buttons and the keys.

import { Api } from "./api.js";
import { ClassBook } from "./class_book.js";
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
import { RemovedLabels } from "./removed_labels.js";
import { chooseLabel, listFewClasses, toggleWithOthers } from "./task.js";
import { TaskQueue } from "./task_queue.js";
import { Tree } from "./tree.js";
import { Typeahead } from "./typeahead.js";
import { Words } from "./words.js";

const token = document.querySelector('meta[name="csrf-token"]').content;
const api = new Api(document.body.dataset.project, token);
const outbox = new Outbox(api, showOutbox);

function makePanels(project, book) {
  const isSingle = project.task === "single-label";
  const { names } = book;
  const tree = new Tree(book, { toggle: (label) => switchLabel(label), isSingle });
  const removed = new RemovedLabels(names, () => showLabels());
  const labels = new Labels(book, {
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
  const typeahead = new Typeahead(book, {
    isChosen: (label) => queue.current?.chosen.has(label) ?? false,
    toggle(label) {
      switchLabel(label);
      tree.scrollTo(label);
    },
    leave: focusHeading,
    once: isSingle,
  });

  const queue = new TaskQueue(api, outbox, {
    present(task, reason) {
      typeahead.clear();
      removed.clear();
      if (!task) return showNoDocument(reason);
      showDocument(task);
      if (isSingle) listFewClasses(task, book.size);
      labels.show(task);
      tree.show(task);
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
    tree.show(task);
    announce(`${names[label]} ${said}`);
  }

  function showLabels() {
    labels.showState(queue.current);
    tree.show(queue.current);
  }

  function change(task, label) {
    if (isSingle) {
      chooseLabel(task, label);
      return "chosen";
    }
    const { isOn, others } = toggleWithOthers(task, label, book);
    if (isOn) removed.clear();
    else removed.show(task, label, others);
    const also = others.length ? `, with ${others.map((other) => names[other]).join(", ")}` : "";
    return `${isOn ? "on" : "off"}${also}`;
  }

  // None cannot be stored where every document has exactly one label.
  function accept() {
    const isMissing = isSingle && queue.current?.chosen.size === 0;
    if (isMissing) setVisible(byId("must-choose"), true);
    else queue.accept();
  }

  return { queue, typeahead, progress, decisions, switchLabel, accept, isSingle, book };
}

function makeCommands({ queue, typeahead, switchLabel, accept, isSingle, book }) {
  const digits = isSingle ? new DigitPreference() : null;
  function choose(label) {
    if (label == null) return;
    switchLabel(label);
    if (digits?.submits) accept();
  }
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
      choose(queue.current && labelOfDigit(queue.current, key));
    },
    label(key) {
      choose(queue.current && book.keys.get(key));
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
  const [project, classes] = await Promise.all([api.get(), api.get("classes")]);
  const book = new ClassBook(classes);
  byId("guidelines-text").textContent = project.guidelines || "This project has no guidelines.";
  byId("search-label").textContent = `Search all ${book.size.toLocaleString("en")} classes`;
  const panels = makePanels(project, book);
  listKeys(panels.isSingle, book);
  const { queue, progress, decisions } = panels;
  const commands = makeCommands(panels);
  connectButtons(commands, queue);
  listenToKeys(commands, book.keys);
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
