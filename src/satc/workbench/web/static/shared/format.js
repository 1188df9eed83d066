// Formats numbers, dates and lists for people, in the language of the page.

export const language = document.documentElement.lang || "en";

// Dates as the reader writes them: of several countries with one language, that of the browser.
const region = navigator.languages.find((one) => one.split("-")[0] === language) ?? language;

const integer = new Intl.NumberFormat(language);
const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const wholePercent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
const days = new Intl.DateTimeFormat(region, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(region, { dateStyle: "short", timeStyle: "short" });
const clocks = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hour12: false });
const lists = new Intl.ListFormat(language, { type: "conjunction" });

export const count = (n) => integer.format(n);

export const decimal = (x) => oneDigit.format(x);

// A time is a text in ISO 8601.
export const date = (at) => days.format(new Date(at));

export const datetime = (at) => times.format(new Date(at));

export const clock = (at) => clocks.format(new Date(at));

// Items that contain commas ("Arrhythmias, Cardiac") are separated by semicolons.
export function list(items) {
  const texts = items.map(String);
  return texts.length > 1 && texts.some((text) => text.includes(",")) ? texts.join("; ") : lists.format(texts);
}

// A probability is never rounded to 0% or 100%.
export function percent(probability) {
  if (probability == null) return "";
  const value = Math.round(100 * probability);
  if (value === 0 && probability > 0) return `<${wholePercent.format(0.01)}`;
  if (value === 100 && probability < 1) return `>${wholePercent.format(0.99)}`;
  return wholePercent.format(value / 100);
}

const hundredths = (value) => integer.format(Math.round(100 * value));

// The ends of an interval, in percent: 82–94.
export const range = ({ low, high }) => `${hundredths(low)}\u2013${hundredths(high)}`;

// A value with its interval: 88% (82–94).
export const interval = (estimate) => `${wholePercent.format(estimate.value)} (${range(estimate)})`;

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
