// The workbench page: connects the task queue, the panels, the buttons and the keys.

import { Api } from "../shared/api.js";
import { byId, setVisible } from "../shared/dom.js";
import { prepareMenus } from "../shared/menus.js";
import { t } from "../shared/messages.js";
import { announce, removeErrorsBefore, showError, showInfo, showOutbox } from "../shared/notices.js";
import { Outbox } from "../shared/outbox.js";
import { Chips } from "./chips.js";
import { ClassBook } from "./class_book.js";
import { ClassTip } from "./class_tip.js";
import { Decisions } from "./decisions.js";
import { askNote, hasUnsavedNote, listKeys, prepareDialogs, showGuidelines, showKeys } from "./dialogs.js";
import { DigitPreference } from "./digit_preference.js";
import { focusHeading, scrollToTop, showDocument, showFlag, showNoDocument, showNote } from "./document_view.js";
import { Explanation } from "./explanation.js";
import { InSight } from "./in_sight.js";
import { listenToKeys } from "./keys.js";
import { LabelChoice } from "./label_choice.js";
import { labelOfDigit, Labels } from "./labels.js";
import { Leases } from "./leases.js";
import { NearDuplicates } from "./near_duplicates.js";
import { forgetWanted, showWayBack, wantedDocument } from "./opened_document.js";
import { Progress } from "./progress.js";
import { RemovedLabels } from "./removed_labels.js";
import { TaskQueue } from "./task_queue.js";
import { Tree } from "./tree.js";
import { Typeahead } from "./typeahead.js";
import { ViewSettings } from "./view_settings.js";
import { Words } from "./words.js";

const token = document.querySelector('meta[name="csrf-token"]').content;
const api = new Api(document.body.dataset.project, token);
const outbox = new Outbox(api, showOutbox);

// The panels with the labels of a document. `current()` is the task on the page.
function makeLabelPanels(project, book, isSingle, current) {
  const { names } = book;
  const toggle = (label) => current() && choice.toggle(current(), label);
  const labels = new Labels(book, {
    toggle,
    showWords: (label) => words.markSoon(label),
    hasWords: project.has_words,
    isSingle,
  });
  const words = new Words(api, names, {
    available: project.has_words,
    marked: (label) => labels.showMarkedLabel(label),
  });
  const tree = new Tree(book, { toggle, isSingle });
  const chips = new Chips(book, { choose: toggle, remove: (label) => choice.remove(current(), label), isSingle });
  const removed = new RemovedLabels(names, () => choice.putBack(current()));
  const choice = new LabelChoice(book, isSingle, { labels, chips, tree, removed });
  const typeahead = new Typeahead(book, {
    isChosen: (label) => current()?.chosen.has(label) ?? false,
    toggle(label) {
      toggle(label);
      tree.scrollTo(label);
    },
    leave: focusHeading,
    once: isSingle || book.isSmall,
  });
  new ClassTip(book, byId("side"));
  return { choice, words, typeahead, toggle };
}

function makePanels(project, book) {
  const isSingle = project.task === "single-label";
  const { choice, words, typeahead, toggle } = makeLabelPanels(project, book, isSingle, () => queue.current);
  const explanation = new Explanation(api, book, isSingle);
  const progress = new Progress(api, isSingle, () => outbox.problem?.isTemporary && outbox.tryNow());
  const decisions = new Decisions(api, book, (index) => queue.edit(index));
  const inSight = new InSight();

  const queue = new TaskQueue(api, outbox, {
    present(task, reason) {
      typeahead.clear();
      if (!task) {
        choice.stop();
        return showNoDocument(reason);
      }
      showDocument(task);
      choice.start(task);
      words.show(task);
      explanation.show(task);
      scrollToTop({ sideToo: !book.isSmall });
      return inSight.start();
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
    succeeded: removeErrorsBefore,
    marksChanged(task) {
      showFlag(task);
      showNote(task);
    },
    showError,
    showInfo,
  });

  // None cannot be stored where every document has exactly one label.
  function accept() {
    if (!queue.current) return;
    const isMissing = isSingle && queue.current.chosen.size === 0;
    if (isMissing) setVisible(byId("must-choose"), true);
    if (isMissing || !inSight.isSeen) return inSight.isSeen || inSight.scrollToLabels();
    forgetWanted();
    queue.accept();
  }

  return { queue, typeahead, progress, decisions, toggle, accept, inSight, isSingle, book };
}

function makeCommands({ queue, typeahead, toggle, accept, inSight, isSingle, book }) {
  const digits = isSingle ? new DigitPreference() : null;
  const view = new ViewSettings();
  function choose(label) {
    if (label == null) return;
    toggle(label);
    if (digits?.submits) accept();
  }
  const change = ({ document: { index } }, what, value) => queue.send("PUT", `documents/${index}/${what}`, value);
  return {
    accept,
    skip: () => queue.skip(),
    undo: () => queue.undo(),
    search: () => queue.current && typeahead.focus(),
    help: showKeys,
    guidelines: showGuidelines,
    marks: () => announce(t(view.toggleMarks() ? "workbench.marks_shown" : "workbench.marks_hidden")),
    classes: () => inSight.scrollToLabels(),
    again: () => queue.advance(),
    cancel() {
      forgetWanted();
      queue.stopEditing();
    },
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
      announce(t(task.flagged ? "workbench.said_flagged" : "workbench.said_unflagged"));
    },
    async note() {
      const task = queue.current;
      const note = task && (await askNote(task.document.index, task.note));
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
  prepareMenus();
  showWayBack();
  const [project, classes] = await Promise.all([api.get(), api.get("classes")]);
  const book = new ClassBook(classes);
  prepareDialogs(project.guidelines);
  byId("search-label").textContent = t("workbench.search_label", { n: book.size });
  document.body.dataset.book = book.isSmall ? "small" : "large";
  const panels = makePanels(project, book);
  listKeys(panels.isSingle, book);
  const { queue, progress, decisions } = panels;
  const nearDuplicates = new NearDuplicates(api, queue, book);
  queue.decided = (index) => nearDuplicates.decided(index);
  const commands = { ...makeCommands(panels), duplicates: () => nearDuplicates.open() };
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
  await queue.open(wantedDocument());
  if (queue.current && hasUnsavedNote(queue.current.document.index)) commands.note();
}

start().catch((error) => showNoDocument(error.message));
