// A task is one document on the page: what the server proposed, which labels
// the person has chosen so far, and how long the document was visible.

const MOST_DIGITS = 10;

const withoutProbability = (label) => ({ class: label });

function makeTask(document, predicted, suggested, chosen, rest) {
  const listed = [...predicted, ...suggested].map((entry) => entry.class);
  const added = chosen.filter((label) => !listed.includes(label)).map(withoutProbability);
  return {
    document,
    sections: { predicted, suggested, added },
    chosen: new Set(chosen),
    stopwatch: new Stopwatch(),
    ...rest,
  };
}

export function taskFromAssignment(assignment) {
  const { document, lease, blind, position, n_documents, flagged, note } = assignment;
  const chosen = assignment.decided ?? assignment.predicted.map((entry) => entry.class);
  const rest = { lease, blind, position, n_documents, flagged, note, editing: false };
  return makeTask(document, assignment.predicted, assignment.suggested, chosen, rest);
}

// An earlier decision that is opened again has no lease. If its predictions
// were hidden, they stay hidden.
export function taskFromDecision({ document, labels, predicted, flagged, note }) {
  const rest = { lease: null, blind: predicted === null, flagged, note, editing: true };
  return makeTask(document, (predicted ?? []).map(withoutProbability), [], labels, rest);
}

// All listed labels, in the order of their digits.
export const listedLabels = ({ sections }) => [
  ...sections.predicted,
  ...sections.suggested,
  ...sections.added,
];

// Returns whether the label is chosen now.
export function toggleLabel(task, label) {
  if (task.chosen.delete(label)) return false;
  task.chosen.add(label);
  if (!listedLabels(task).some((entry) => entry.class === label)) {
    task.sections.added.push(withoutProbability(label));
  }
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

// Lists all classes of a project that has only a few, so that each has a digit.
export function listFewClasses(task, nClasses) {
  if (nClasses > MOST_DIGITS) return;
  const listed = new Set(listedLabels(task).map((entry) => entry.class));
  for (let label = 0; label < nClasses; label += 1) {
    if (!listed.has(label)) task.sections.suggested.push(withoutProbability(label));
  }
}

export const chosenLabels = ({ chosen }) => [...chosen].sort((a, b) => a - b);

// The class that contributes most to the rank of the document: its words are marked first.
export function mainLabel(task) {
  const contribution = (entry) => entry.contribution ?? -1;
  const sorted = listedLabels(task).sort((a, b) => contribution(b) - contribution(a));
  return sorted.length ? sorted[0].class : null;
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
