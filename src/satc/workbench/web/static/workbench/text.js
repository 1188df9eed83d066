// The text of a document, with the words marked that are for or against a
// label. The server's offsets count Unicode code points, as Python does, while
// JavaScript strings count UTF-16 units: so the text is split into code points.

import { byId, element, setVisible } from "../shared/dom.js";
import { t, tNodes } from "../shared/messages.js";

// Cuts the text into pieces {text, weight}; weight is 0 outside the marked words.
export function pieces(text, words) {
  const result = [];
  const points = Array.from(text);
  let position = 0;
  const cut = (end, weight) => {
    if (end > position) result.push({ text: points.slice(position, end).join(""), weight });
    position = Math.max(position, end);
  };
  for (const { start, end, weight } of [...words].sort((a, b) => a.start - b.start)) {
    if (start < position || !weight) continue;
    cut(start, 0);
    cut(Math.min(end, points.length), weight);
  }
  cut(points.length, 0);
  return result;
}

const LEAST_MARKED = 0.15; // of the strongest word; weaker words would mark nearly the whole text

const noticeable = (words) => words.filter(({ weight }) => Math.abs(weight) >= LEAST_MARKED);

function strength(weight) {
  const size = Math.abs(weight);
  return size > 0.66 ? "strong" : size > 0.33 ? "medium" : "weak";
}

function pieceNode({ text, weight }) {
  if (!weight) return document.createTextNode(text);
  const kind = weight > 0 ? "for" : "against";
  return element("mark", { class: `${kind} ${strength(weight)}` }, text);
}

export function showText(text, words = []) {
  byId("document-text").replaceChildren(...pieces(text, noticeable(words)).map(pieceNode));
}

// The words of one sign with the largest weights, each once.
export function strongestWords(text, words, sign, most = 6) {
  const marked = pieces(text, noticeable(words)).filter(({ weight }) => weight * sign > 0);
  marked.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  return [...new Set(marked.map((piece) => piece.text.toLowerCase()))].slice(0, most);
}

function wordList(words, kind) {
  if (!words.length) return [element("span", {}, t("workbench.no_words"))];
  const marks = words.map((word) => element("mark", { class: `${kind} medium`, dir: "auto" }, word));
  return marks.flatMap((mark, i) => (i ? [", ", mark] : [mark]));
}

// Below the text: "Words for X: a, b. Words against: c."
export function showLegend(text, words, name) {
  const legend = byId("legend");
  setVisible(legend, words.length > 0);
  if (!words.length) return;
  const values = {
    name: [element("b", { dir: "auto" }, name)],
    for_it: wordList(strongestWords(text, words, 1), "for"),
    against_it: wordList(strongestWords(text, words, -1), "against"),
  };
  legend.replaceChildren(...tNodes("workbench.words_legend", values));
}
