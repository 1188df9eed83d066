// Formats numbers for people.

const integer = new Intl.NumberFormat("en");

export const count = (n) => integer.format(n);

export function percent(probability) {
  if (probability == null) return "";
  const value = Math.round(100 * probability);
  if (value === 0 && probability > 0) return "<1%";
  if (value === 100 && probability < 1) return ">99%";
  return `${value}%`;
}

// .861 instead of 0.861: a measure is at most one.
export const score = (value) => value.toFixed(3).replace(/^0\./, ".");

export const interval = ({ value, low, high }) =>
  `${score(value)} (${score(low)}\u2013${score(high)})`;

const isFMeasure = (measure) => /^f[\d.]+$/.test(measure);

// The same names as satc.measures.display_name.
const NAMES = {
  jaccard: "Jaccard",
  "balanced-accuracy": "balanced accuracy",
  matthews: "Matthews",
  "g-mean": "G-mean",
};

// If every document has one label, micro-averaged F is the share of documents that are right.
export function measureName(average, measure, isSingle = false) {
  if (isSingle && average === "micro" && isFMeasure(measure)) return "accuracy";
  return `${average}-${isFMeasure(measure) ? measure.toUpperCase() : (NAMES[measure] ?? measure)}`;
}

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

export function timePerDocument(seconds) {
  if (seconds == null) return "";
  return seconds < 100
    ? `${Math.round(seconds)} s per document`
    : `${(seconds / 60).toFixed(1)} min per document`;
}
