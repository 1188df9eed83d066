// The search field for all classes: a combobox with a listbox, after the ARIA
// pattern. The focus stays in the field; `aria-activedescendant` names the active hit.

import { byId, element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { ClassIndex, matches, MOST_HITS } from "./search.js";

// The pieces of a text, with the words of the query marked.
function marked(text, query) {
  const pieces = [];
  let position = 0;
  for (const [start, end] of matches(text, query)) {
    pieces.push(text.slice(position, start), element("mark", { class: "hit" }, text.slice(start, end)));
    position = end;
  }
  return [...pieces, text.slice(position)].filter(Boolean);
}

export class Typeahead {
  // `leave()` moves the focus back to the document; with `once`, so does the choice of a class,
  // so that the keys of the classes work again.
  constructor(book, { isChosen, toggle, leave, once }) {
    Object.assign(this, { book, isChosen, toggle, leave, once });
    const names = book.names.slice(0, book.size);
    const further = names.map((_, label) => [...book.synonyms[label], ...this.codeOf(label)]);
    this.index = new ClassIndex(names, further, book.definitions.slice(0, book.size));
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
    return this.index.find(this.input.value);
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
    byId("search-none").textContent = none ? t("workbench.search_none", { query }) : "";
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
      "data-hit": label,
      onclick: () => this.choose(label),
    };
    const state = chosen ? element("span", { class: "state" }, t("workbench.chosen_state")) : null;
    return element("li", attributes, element("span", { dir: "auto" }, ...this.texts(label)), state);
  }

  // The code of a class, if it is another text than its name.
  codeOf(label) {
    const { codes, names } = this.book;
    return codes[label] === names[label] ? [] : [codes[label]];
  }

  // The name of a class; below it the names above it, its code, and the synonyms that were found.
  texts(label) {
    const query = this.input.value;
    const found = this.book.synonyms[label].filter((synonym) => matches(synonym, query).length);
    const about = [[this.book.pathText(label)], ...[...this.codeOf(label), ...found].map((text) => marked(text, query))];
    const parts = about.filter(([first]) => first).flatMap((part, i) => (i ? [" \u00b7 ", ...part] : part));
    const line = parts.length ? [element("span", { class: "about", dir: "auto" }, ...parts)] : [];
    return [...marked(this.book.names[label], query), ...line];
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
