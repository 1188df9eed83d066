// Marks the words of one label: at first of the label that contributes most to
// the rank of the document, then of each label that the person points at. The
// words of a label are requested once.

import { mainLabel } from "./task.js";
import { showLegend, showText } from "./text.js";

const HOVER_MILLISECONDS = 150;

export class Words {
  // `marked(label)` is called when the words of a label are marked.
  constructor(api, names, { available, marked }) {
    Object.assign(this, { api, names, available, marked });
    this.wordsOfTasks = new WeakMap();
    this.timer = null;
  }

  fetch(task, label) {
    const known = this.wordsOfTasks.get(task) ?? new Map();
    this.wordsOfTasks.set(task, known);
    const path = `documents/${task.document.index}/words/${label}`;
    const request = () => this.api.get(path).then(({ words }) => words, () => []);
    if (!known.has(label)) known.set(label, request());
    return known.get(label);
  }

  hasWords(task) {
    return this.available && !task.blind && mainLabel(task) !== null;
  }

  // Called for the task that is fetched ahead, so that its words can be marked at once.
  prefetch(task) {
    if (this.hasWords(task)) this.fetch(task, mainLabel(task));
  }

  show(task) {
    clearTimeout(this.timer);
    this.task = task;
    showText(task.document.text);
    showLegend("", [], "");
    if (this.hasWords(task)) this.mark(mainLabel(task));
  }

  async mark(label) {
    const { task } = this;
    this.label = label;
    const words = await this.fetch(task, label);
    if (task !== this.task || label !== this.label) return;
    showText(task.document.text, words);
    showLegend(task.document.text, words, this.names[label]);
    this.marked(label);
  }

  // Waits a moment, in case the pointer only passes by; null means that it has left.
  markSoon(label) {
    clearTimeout(this.timer);
    if (label === null || label === this.label || !this.hasWords(this.task)) return;
    this.timer = setTimeout(() => this.mark(label), HOVER_MILLISECONDS);
  }
}
