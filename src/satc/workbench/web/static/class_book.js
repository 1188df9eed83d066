// The classes of a project: names, definitions, keys, and the hierarchy. Labels
// are numbers of classes; numbers after those of the classes are headings that
// are only above some classes.

function childrenOf(parents) {
  const children = parents.map(() => []);
  parents.forEach((above, node) => above.forEach((parent) => children[parent].push(node)));
  return children;
}

function reached(start, steps) {
  const found = new Set();
  const waiting = [...steps[start]];
  while (waiting.length) {
    const node = waiting.pop();
    if (!found.has(node)) {
      found.add(node);
      waiting.push(...steps[node]);
    }
  }
  return found;
}

export class ClassBook {
  // The answer of the route `classes`; without a code book, names are codes.
  constructor({ classes, book, closed }) {
    this.size = classes.length;
    this.isGiven = Boolean(book);
    this.isClosed = Boolean(closed);
    const entries = book ?? classes.map((code) => ({ code, name: code, definition: "", parents: [], key: "" }));
    this.codes = entries.map(({ code }) => code);
    this.names = entries.map(({ name }) => name);
    this.definitions = entries.map(({ definition }) => definition);
    this.parents = entries.map(({ parents }) => parents);
    this.children = childrenOf(this.parents);
    this.keys = new Map(entries.flatMap(({ key }, node) => (key && this.isClass(node) ? [[key, node]] : [])));
    this.keyOf = new Map([...this.keys].map(([key, node]) => [node, key]));
    this.above = new Map();
  }

  get roots() {
    return this.parents.flatMap((above, node) => (above.length ? [] : [node]));
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
    return others.length ? `${path}; also in ${others.join(", ")}` : path;
  }

  // Where a label implies its ancestors: the chosen labels that others imply.
  implied(chosen) {
    const found = new Set();
    if (this.isClosed) for (const label of chosen) this.ancestors(label).forEach((node) => found.add(node));
    return found;
  }

  // The labels that change together with one: its ancestors when it is chosen, its
  // descendants when it is removed.
  follows(label, isOn) {
    if (!this.isClosed) return [];
    const others = isOn ? this.ancestors(label) : this.descendants(label);
    return [...others].filter((node) => this.isClass(node));
  }
}
