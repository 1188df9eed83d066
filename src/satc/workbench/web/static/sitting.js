// A sitting is one document on the desk: what the server proposed, what the
// person has chosen so far, and how long it was looked at.

const unweighted = (label) => ({ class: label });

function sit(document, predicted, suggested, chosen, rest) {
  const known = [...predicted, ...suggested].map((entry) => entry.class);
  const added = chosen.filter((c) => !known.includes(c)).map(unweighted);
  return {
    document,
    sections: { predicted, suggested, added },
    chosen: new Set(chosen),
    watch: new Stopwatch(),
    ...rest,
  };
}

export function fromAssignment(assignment) {
  const { document, lease, blind, position, n_documents, flagged, note } = assignment;
  const chosen = assignment.decided ?? assignment.predicted.map((entry) => entry.class);
  const rest = { lease, blind, position, n_documents, flagged, note, editing: false };
  return sit(document, assignment.predicted, assignment.suggested, chosen, rest);
}

// An earlier decision, opened again; it holds no lease. Where the predictions
// were hidden, they stay so.
export function fromDecision({ document, labels, predicted, flagged, note }) {
  const rest = { lease: null, blind: predicted === null, flagged, note, editing: true };
  return sit(document, (predicted ?? []).map(unweighted), [], labels, rest);
}

// The order in which labels are listed is the order of their digits.
export const entries = ({ sections }) => [
  ...sections.predicted,
  ...sections.suggested,
  ...sections.added,
];

export function toggle(sitting, label) {
  if (sitting.chosen.delete(label)) return false;
  sitting.chosen.add(label);
  if (!entries(sitting).some((entry) => entry.class === label)) {
    sitting.sections.added.push(unweighted(label));
  }
  return true;
}

export const labels = ({ chosen }) => [...chosen].sort((a, b) => a - b);

// The class that brought this document up: its words are marked first.
export function foremost(sitting) {
  const weight = (entry) => entry.contribution ?? -1;
  const byWeight = entries(sitting).sort((a, b) => weight(b) - weight(a));
  return byWeight.length ? byWeight[0].class : null;
}

// Counts only the time during which the page could be seen.
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
