// The texts of this page in the language of the reader. The server puts them
// into the page (satc.workbench.messages); `t` fills in the values. A text is a
// string, or an object with plural forms, of which the value `n` chooses one.

import { count, date, datetime, decimal, language, list, percent } from "./format.js";

const texts = JSON.parse(document.getElementById("texts")?.textContent || "{}");
const plurals = new Intl.PluralRules(language);
const FORMATS = { percent, decimal, date, datetime, list };

const plain = (value) => (Number.isInteger(value) ? count(value) : String(value));

const PLACE = /\{(\w+)(?::(\w+))?\}/;

function textOf(key, values) {
  const found = texts[key];
  if (found === undefined) throw new Error(`there is no text ${key}`);
  return typeof found === "string" ? found : (found[plurals.select(values.n)] ?? found.other);
}

export function t(key, values = {}) {
  const fill = (_, name, how) => (FORMATS[how] ?? plain)(values[name]);
  return textOf(key, values).replace(new RegExp(PLACE, "g"), fill);
}

// The pieces of a text around nodes: each value is a list of nodes and strings.
export function tNodes(key, values) {
  const pieces = textOf(key, values).split(new RegExp(PLACE, "g"));
  return pieces.flatMap((piece, i) => (i % 3 === 0 ? [piece] : i % 3 === 1 ? values[piece] : [])).filter(Boolean);
}
