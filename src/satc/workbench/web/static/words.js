// Which label's words are marked: the one that brought the document up, until
// the person points at another. Each list of words is asked for once.

import { foremost } from "./sitting.js";
import { showLegend, showText } from "./text.js";

const PATIENCE = 150;

export class Words {
  constructor(api, names, { available, marked }) {
    Object.assign(this, { api, names, available, marked });
    this.lists = new WeakMap();
    this.timer = null;
  }

  fetch(sitting, label) {
    const lists = this.lists.get(sitting) ?? new Map();
    this.lists.set(sitting, lists);
    const path = `documents/${sitting.document.index}/words/${label}`;
    const ask = () => this.api.get(path).then(({ words }) => words, () => []);
    if (!lists.has(label)) lists.set(label, ask());
    return lists.get(label);
  }

  usable(sitting) {
    return this.available && !sitting.blind && foremost(sitting) !== null;
  }

  // Called for the document fetched ahead, so that its marks are there at once.
  prepare(sitting) {
    if (this.usable(sitting)) this.fetch(sitting, foremost(sitting));
  }

  show(sitting) {
    clearTimeout(this.timer);
    this.sitting = sitting;
    showText(sitting.document.text);
    showLegend("", [], "");
    if (this.usable(sitting)) this.mark(foremost(sitting));
  }

  async mark(label) {
    const { sitting } = this;
    this.label = label;
    const words = await this.fetch(sitting, label);
    if (sitting !== this.sitting || label !== this.label) return;
    showText(sitting.document.text, words);
    showLegend(sitting.document.text, words, this.names[label]);
    this.marked(label);
  }

  // A pointer that only passes by asks for nothing; null when it has left.
  point(label) {
    clearTimeout(this.timer);
    if (label === null || label === this.label || !this.usable(this.sitting)) return;
    this.timer = setTimeout(() => this.mark(label), PATIENCE);
  }
}
