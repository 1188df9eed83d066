// The search field for all classes: a combobox with a listbox, after the ARIA
// pattern. The focus stays in the field; `aria-activedescendant` names the active hit.

import { byId, element, setVisible } from "./dom.js";
import { find, MOST_HITS, prepare } from "./search.js";

export class Typeahead {
  // `leave()` moves the focus back to the document; with `once`, so does the choice of a class.
  constructor(book, { isChosen, toggle, leave, once }) {
    Object.assign(this, { book, isChosen, toggle, leave, once });
    this.prepared = prepare(book.names.slice(0, book.size));
    this.others = book.isGiven ? prepare(book.codes.map((code, i) => `${code}\n${book.definitions[i]}`)) : [];
    this.hits = [];
    this.active = 0;
    this.input = byId("search");
    this.list = byId("search-hits");
    this.input.addEventListener("input", () => this.update());
    this.input.addEventListener("keydown", (event) => this.press(event));
    this.input.addEventListener("blur", () => this.close());
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  // If there are only a few classes, all are listed before anything is typed.
  focus() {
    this.input.focus();
    this.input.select();
    if (this.book.size <= MOST_HITS) this.open(this.find());
  }

  find() {
    return find(this.prepared, this.input.value, MOST_HITS, this.others);
  }

  update() {
    this.open(this.input.value.trim() ? this.find() : []);
  }

  open(hits) {
    this.hits = hits;
    this.active = this.input.value.trim() ? 0 : -1;
    this.draw();
  }

  close() {
    this.open([]);
  }

  clear() {
    this.input.value = "";
    this.close();
  }

  draw() {
    const query = this.input.value.trim();
    const none = !this.hits.length && query && document.activeElement === this.input;
    this.list.replaceChildren(...this.hits.map((label, i) => this.option(label, i)));
    setVisible(this.list, this.hits.length > 0);
    byId("search-none").textContent = none ? `No class contains \u201c${query}\u201d.` : "";
    this.input.setAttribute("aria-expanded", String(this.hits.length > 0));
    if (this.hits[this.active] !== undefined) this.input.setAttribute("aria-activedescendant", `hit-${this.active}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  option(label, i) {
    const chosen = this.isChosen(label);
    const attributes = {
      id: `hit-${i}`,
      role: "option",
      "aria-selected": String(i === this.active),
      title: this.book.definitions[label] || null,
      onclick: () => this.choose(label),
    };
    const state = chosen ? element("span", { class: "state" }, "chosen") : null;
    return element("li", attributes, element("span", { dir: "auto" }, ...this.texts(label)), state);
  }

  // The name of a class; below it the names above it, and its code if that is another text.
  texts(label) {
    const { book } = this;
    const code = book.codes[label] === book.names[label] ? "" : book.codes[label];
    const about = [book.pathText(label), code].filter(Boolean).join(" \u00b7 ");
    return [book.names[label], about ? element("span", { class: "about", dir: "auto" }, about) : null].filter(Boolean);
  }

  choose(label) {
    this.toggle(label);
    this.clear();
    if (this.once) this.leave();
  }

  move(step) {
    if (!this.hits.length) return this.open(this.find());
    this.active = (Math.max(this.active, step < 0 ? 0 : -1) + step + this.hits.length) % this.hits.length;
    this.draw();
    this.list.children[this.active].scrollIntoView({ block: "nearest" });
    return null;
  }

  press(event) {
    const actions = {
      ArrowDown: () => this.move(1),
      ArrowUp: () => this.move(-1),
      Enter: () => this.enter(),
      Escape: () => this.escape(),
    };
    if (event.isComposing || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  // Enter in an empty field goes back to the document, so that the next Enter accepts.
  enter() {
    if (this.hits[this.active] !== undefined) this.choose(this.hits[this.active]);
    else if (!this.input.value.trim()) this.leave();
  }

  escape() {
    this.clear();
    this.leave();
  }
}
