// The classes of the project: their names, and the class that a typed name means.

import { foldImplied } from "../shared/implied.js";

const plain = (text) => text.trim().toLocaleLowerCase();

export class Classes {
  // The answer of the route `classes`; without a code book, names are codes.
  constructor({ classes, book, closed }) {
    this.parents = closed && book ? book.map(({ parents }) => parents) : null;
    const names = classes.map((code, label) => book?.[label].name ?? code);
    const times = new Map();
    for (const name of names) times.set(plain(name), (times.get(plain(name)) ?? 0) + 1);
    this.names = names.map((name, label) => (times.get(plain(name)) > 1 ? `${name} (${classes[label]})` : name));
    this.places = classes.map((_, label) => book?.[label].place ?? label);
    this.numbers = new Map(classes.map((code, label) => [plain(code), label]));
    this.names.forEach((name, label) => this.numbers.set(plain(name), label));
  }

  name(label) {
    return this.names[label] ?? String(label);
  }

  // The labels to show, and those that they imply, which are folded into a number.
  fold(labels) {
    return foldImplied(this.inOrder(labels), this.parents);
  }

  // Labels in the order of the code book.
  inOrder(labels) {
    return [...labels].sort((a, b) => (this.places[a] ?? a) - (this.places[b] ?? b) || a - b);
  }

  // The class of a name or a code; undefined if there is none.
  find(text) {
    return this.numbers.get(plain(text));
  }
}
