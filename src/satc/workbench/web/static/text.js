// The text of a document, and the words in it that speak for or against a
// label. Offsets count Unicode code points, as Python does; strings here count
// UTF-16 units, so the text is walked once and cut where a word begins or ends.

import { byId, element, show } from "./dom.js";

// Cuts the text into pieces {text, weight}; weight is 0 outside the marked words.
export function pieces(text, words) {
  const result = [];
  const points = Array.from(text);
  let at = 0;
  const take = (end, weight) => {
    if (end > at) result.push({ text: points.slice(at, end).join(""), weight });
    at = Math.max(at, end);
  };
  for (const { start, end, weight } of [...words].sort((a, b) => a.start - b.start)) {
    if (start < at || !weight) continue;
    take(start, 0);
    take(Math.min(end, points.length), weight);
  }
  take(points.length, 0);
  return result;
}

function strength(weight) {
  const size = Math.abs(weight);
  return size > 0.66 ? "strong" : size > 0.33 ? "medium" : "weak";
}

function node({ text, weight }) {
  if (!weight) return document.createTextNode(text);
  const kind = weight > 0 ? "for" : "against";
  return element("mark", { class: `${kind} ${strength(weight)}` }, text);
}

export function showText(text, words = []) {
  byId("document-text").replaceChildren(...pieces(text, words).map(node));
}

// The heaviest words of one sign, each once.
export function heaviest(text, words, sign, most = 6) {
  const marked = pieces(text, words).filter(({ weight }) => weight * sign > 0);
  marked.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  return [...new Set(marked.map((piece) => piece.text.toLowerCase()))].slice(0, most);
}

const list = (words) => (words.length ? words.join(", ") : "none");

// Says in words what the marks say by their look.
export function showLegend(text, words, name) {
  const legend = byId("legend");
  show(legend, words.length > 0);
  if (!words.length) return;
  legend.replaceChildren(
    element("span", {}, "Words for ", element("b", { dir: "auto" }, name), ": "),
    element("mark", { class: "for medium" }, "speak for it"),
    element("span", { dir: "auto" }, ` (${list(heaviest(text, words, 1))}), `),
    element("mark", { class: "against medium" }, "speak against it"),
    element("span", { dir: "auto" }, ` (${list(heaviest(text, words, -1))}).`),
  );
}
