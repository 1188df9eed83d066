// A task is one document on the page: what the server proposed, which labels
// the person has chosen so far, and how long the document was visible.

import { readLabels } from "./drafts.js";

const MOST_MISSING = 6; // labels that are marked as possibly missing
const LEAST_LIKELY = 0.02;

// The entries of the labels by their class, each with its mark: "predicted", "missing" or "".
function markedEntries(predicted, suggested) {
  const isMissing = ({ probability }, i) => i < MOST_MISSING && probability >= LEAST_LIKELY;
  return new Map([
    ...predicted.map((entry) => [entry.class, { ...entry, mark: "predicted" }]),
    ...suggested.map((entry, i) => [entry.class, { ...entry, mark: isMissing(entry, i) ? "missing" : "" }]),
  ]);
}

// `listed` are the labels beside the document where there are too many classes to list all.
function makeTask(document, predicted, suggested, chosen, rest) {
  const entries = markedEntries(predicted, suggested);
  const marked = [...entries.values()].filter(({ mark }) => mark).map((entry) => entry.class);
  return {
    document,
    entries,
    listed: [...new Set([...marked, ...chosen])],
    chosen: new Set(chosen),
    stopwatch: new Stopwatch(),
    ...rest,
  };
}

// Labels that were chosen before the page was loaded again are still chosen.
export function taskFromAssignment(assignment) {
  const { document, lease, blind, second, position, n_documents, flagged, note } = assignment;
  const proposed = assignment.decided ?? assignment.predicted.map((entry) => entry.class);
  const rest = { lease, blind, second, position, n_documents, flagged, note, editing: false };
  return makeTask(document, assignment.predicted, assignment.suggested, readLabels(lease) ?? proposed, rest);
}

// An earlier decision that is opened again has no lease. If its predictions
// were hidden, they stay hidden.
export function taskFromDecision({ document, labels, predicted, flagged, note }) {
  const rest = { lease: null, blind: predicted === null, flagged, note, editing: true };
  const entries = (predicted ?? []).map((label) => ({ class: label }));
  return makeTask(document, entries, [], labels, rest);
}

// Returns whether the label is chosen now.
export function toggleLabel(task, label) {
  if (task.chosen.delete(label)) return false;
  task.chosen.add(label);
  if (!task.listed.includes(label)) task.listed.push(label);
  return true;
}

// Where a label implies its ancestors: these are chosen with it, and its descendants are removed
// with it. Returns whether the label is chosen now, and the other labels that have changed.
export function toggleWithOthers(task, label, book) {
  const isOn = toggleLabel(task, label);
  const others = book.follows(label, isOn).filter((other) => task.chosen.has(other) !== isOn);
  for (const other of others) toggleLabel(task, other);
  return { isOn, others };
}

// Where a document has exactly one label: a class replaces the one that was chosen before.
export function chooseLabel(task, label) {
  if (task.chosen.has(label)) return;
  task.chosen.clear();
  toggleLabel(task, label);
}

export const chosenLabels = ({ chosen }) => [...chosen].sort((a, b) => a - b);

// The class that contributes most to the rank of the document: its words are marked first.
export function mainLabel({ entries }) {
  const worth = (entry) => entry.contribution ?? (entry.mark === "predicted" ? 0 : -1);
  const [first] = [...entries.values()].sort((a, b) => worth(b) - worth(a));
  return first ? first.class : null;
}

// Measures only the time during which the page is visible.
class Stopwatch {
  constructor() {
    this.elapsed = 0;
    this.since = null;
  }

  start() {
    this.since ??= performance.now();
  }

  stop() {
    if (this.since !== null) this.elapsed += performance.now() - this.since;
    this.since = null;
  }

  get seconds() {
    const running = this.since === null ? 0 : performance.now() - this.since;
    return Math.round((this.elapsed + running) / 100) / 10;
  }
}
