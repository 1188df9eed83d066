// The classes of a project: names, definitions, keys, and the hierarchy. Labels
// are numbers of classes; numbers after those of the classes are headings that
// are only above some classes.

import { foldImplied, reached } from "../shared/implied.js";
import { t } from "../shared/messages.js";
import { COMMAND_KEYS } from "./keys.js";
import { assignKeys } from "./label_keys.js";

const FEW_CLASSES = 40; // up to so many, all are listed beside a document

function childrenOf(parents) {
  const children = parents.map(() => []);
  parents.forEach((above, node) => above.forEach((parent) => children[parent].push(node)));
  return children;
}

export class ClassBook {
  // The answer of the route `classes`; without a code book, names are codes.
  constructor({ classes, book, closed }) {
    this.size = classes.length;
    this.isGiven = Boolean(book);
    this.isClosed = Boolean(closed);
    const entries = book ?? classes.map((code) => ({ code, name: code, definition: "", parents: [], key: "", synonyms: [], place: 0 }));
    this.codes = entries.map(({ code }) => code);
    this.names = entries.map(({ name }) => name);
    this.definitions = entries.map(({ definition }) => definition);
    this.synonyms = entries.map(({ synonyms }) => synonyms);
    this.parents = entries.map(({ parents }) => parents);
    this.children = childrenOf(this.parents);
    this.above = new Map();
    this.setOrder(entries);
    this.setKeys(entries);
  }

  // The classes in the order of the code book; without one, in their own.
  setOrder(entries) {
    const byPlace = (a, b) => entries[a].place - entries[b].place || a - b;
    this.order = Array.from({ length: this.size }, (_, label) => label).sort(byPlace);
    this.roots = entries.flatMap((_, node) => (this.parents[node].length ? [] : [node])).sort(byPlace);
    for (const nodes of this.children) nodes.sort(byPlace);
    this.rankOf = new Map(this.order.map((label, i) => [label, i]));
  }

  // Labels in the order of the code book.
  inOrder(labels) {
    const rank = (label) => this.rankOf.get(label) ?? label;
    return [...labels].sort((a, b) => rank(a) - rank(b));
  }

  namesOf(labels) {
    return this.inOrder(labels).map((label) => this.names[label]);
  }

  setKeys(entries) {
    const given = entries.flatMap(({ key }, node) => (key && this.isClass(node) ? [[key, node]] : []));
    this.keys = this.isSmall ? assignKeys(new Map(given), this.order, COMMAND_KEYS) : new Map(given);
    this.keyOf = new Map([...this.keys].map(([key, node]) => [node, key]));
  }

  get isSmall() {
    return this.size <= FEW_CLASSES;
  }

  get hasHierarchy() {
    return this.parents.some((above) => above.length);
  }

  isClass(node) {
    return node < this.size;
  }

  ancestors(node) {
    if (!this.above.has(node)) this.above.set(node, reached(node, this.parents));
    return this.above.get(node);
  }

  descendants(node) {
    return reached(node, this.children);
  }

  // The nodes above one, from the top; of several parents, the first.
  pathTo(node) {
    const path = [];
    for (let next = this.parents[node][0]; next !== undefined; next = this.parents[next][0]) path.unshift(next);
    return path;
  }

  // The names above a class, for people; "" at the top.
  pathText(node) {
    const path = this.pathTo(node).map((above) => this.names[above]).join(" \u203a ");
    const others = this.parents[node].slice(1).map((parent) => this.names[parent]);
    return others.length ? t("workbench.path_and_others", { path, items: others }) : path;
  }

  // Where a label implies its ancestors: the chosen labels that others imply.
  implied(chosen) {
    const found = new Set();
    if (this.isClosed) for (const label of chosen) this.ancestors(label).forEach((node) => found.add(node));
    return found;
  }

  // The labels to show, and those that they imply, which are folded into a number.
  fold(labels) {
    return foldImplied(this.inOrder(labels), this.isClosed ? this.parents : null);
  }

  // The names of labels in one line. Names may contain commas, so points stand between them.
  textOf(labels) {
    const { shown, implied } = this.fold(labels);
    const names = shown.map((label) => this.names[label]);
    if (implied.length) names.push(t("common.implied_count", { n: implied.length }));
    return names.join(" \u00b7 ") || t("workbench.no_label");
  }

  // The labels that change together with one: its ancestors when it is chosen, its
  // descendants when it is removed.
  follows(label, isOn) {
    if (!this.isClosed) return [];
    const others = isOn ? this.ancestors(label) : this.descendants(label);
    return [...others].filter((node) => this.isClass(node));
  }
}
