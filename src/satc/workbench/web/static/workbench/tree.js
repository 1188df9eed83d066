// The tree of all classes, after the ARIA pattern: arrow keys move, open and
// close, Enter and Space turn a label on or off. A class with several parents is
// shown below each of them. The children of a node are made when it is opened,
// so that thousands of classes cost nothing.

import { breakable, byId, element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const MOST_WITHOUT_HIERARCHY = 1000; // classes in one list

export class Tree {
  // `toggle(label)` turns a label on or off. Where all classes are listed, a tree is needed for a
  // hierarchy only; of many classes, it is the list of all, unless it is too long.
  constructor(book, { toggle, isSingle }) {
    Object.assign(this, { book, toggle, chosen: new Set(), made: 0 });
    this.panel = byId("tree-panel");
    this.list = byId("tree");
    if (book.hasHierarchy || (!book.isSmall && book.size <= MOST_WITHOUT_HIERARCHY)) setVisible(this.panel, true);
    else this.panel.remove();
    this.list.setAttribute("aria-multiselectable", String(!isSingle));
    this.panel.addEventListener("toggle", () => this.panel.open && this.start());
    this.list.addEventListener("keydown", (event) => this.press(event));
    this.list.addEventListener("click", (event) => this.click(event));
    this.list.addEventListener("focusin", (event) => this.describe(this.itemOf(event.target)));
  }

  // The first time, the roots are made; the classes that are chosen are shown each time.
  start() {
    if (!this.list.children.length) this.list.append(...this.book.roots.map((node) => this.item(node, 1)));
    if (this.list.children.length === 1) this.open(this.list.firstElementChild);
    for (const label of this.chosen) this.reveal(label);
    this.update();
    if (!this.list.querySelector('[tabindex="0"]')) this.setStop(this.list.firstElementChild);
  }

  show({ chosen }) {
    this.chosen = chosen;
    if (this.panel.open) this.update();
  }

  item(node, level) {
    this.made += 1;
    const id = `tree-name-${this.made}`;
    const { book } = this;
    const isClass = book.isClass(node);
    const attributes = {
      role: "treeitem",
      "data-node": node,
      "aria-level": level,
      "aria-labelledby": id,
      "aria-expanded": book.children[node].length ? "false" : null,
      "aria-checked": isClass ? "false" : null,
      tabindex: "-1",
    };
    const row = element(
      "div",
      { class: isClass ? "node" : "node heading" },
      element("span", { class: "twist", "aria-hidden": "true" }),
      isClass ? element("span", { class: "box", "aria-hidden": "true" }) : null,
      element("span", { class: "name", id, dir: "auto" }, ...breakable(book.names[node])),
      element("span", { class: "state" }),
    );
    return element("li", attributes, row);
  }

  itemOf(target) {
    return target.closest('[role="treeitem"]');
  }

  nodeOf(item) {
    return Number(item.dataset.node);
  }

  open(item) {
    if (item.getAttribute("aria-expanded") !== "false") return;
    item.setAttribute("aria-expanded", "true");
    if (!item.querySelector(":scope > ul")) {
      const level = Number(item.getAttribute("aria-level")) + 1;
      const items = this.book.children[this.nodeOf(item)].map((node) => this.item(node, level));
      item.append(element("ul", { role: "group" }, ...items));
    }
    this.update();
  }

  close(item) {
    if (item.getAttribute("aria-expanded") === "true") item.setAttribute("aria-expanded", "false");
    this.update();
  }

  // Opens everything above a class; returns its item.
  reveal(label) {
    let items = [...this.list.children];
    for (const node of this.book.pathTo(label)) {
      const item = items.find((one) => this.nodeOf(one) === node);
      this.open(item);
      items = [...item.querySelectorAll(":scope > ul > li")];
    }
    return items.find((one) => this.nodeOf(one) === label);
  }

  // Shows a class that was found by the search, if the tree is open.
  scrollTo(label) {
    if (this.panel.open) this.reveal(label)?.scrollIntoView({ block: "nearest" });
  }

  update() {
    const implied = this.book.implied(this.chosen);
    for (const item of this.list.querySelectorAll('[role="treeitem"]')) {
      const node = this.nodeOf(item);
      const isChosen = this.chosen.has(node);
      if (this.book.isClass(node)) item.setAttribute("aria-checked", String(isChosen));
      item.querySelector(":scope > .node > .state").textContent = this.stateText(item, node, isChosen && implied.has(node));
    }
  }

  stateText(item, node, isImplied) {
    if (isImplied) return t("workbench.implied");
    if (item.getAttribute("aria-expanded") !== "false" || this.chosen.has(node)) return "";
    const n = [...this.chosen].filter((label) => this.book.ancestors(label).has(node)).length;
    return n ? t("workbench.chosen_below", { n }) : "";
  }

  // The path, the code and the definition of the class that has the focus.
  describe(item) {
    const { book } = this;
    const node = this.nodeOf(item);
    const code = book.codes[node] === book.names[node] ? "" : book.codes[node];
    const lines = [book.pathText(node), code, book.definitions[node]].filter(Boolean);
    byId("tree-about").replaceChildren(...lines.map((line) => element("p", { dir: "auto" }, line)));
    setVisible(byId("tree-about"), lines.length > 0);
    this.setStop(item);
  }

  setStop(item) {
    for (const other of this.list.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    item.tabIndex = 0;
  }

  click(event) {
    const item = this.itemOf(event.target);
    if (!item) return;
    item.focus({ preventScroll: true });
    if (event.target.closest(".twist") || !this.book.isClass(this.nodeOf(item))) this.switchOpen(item);
    else this.toggle(this.nodeOf(item));
  }

  switchOpen(item) {
    if (item.getAttribute("aria-expanded") === "true") this.close(item);
    else this.open(item);
  }

  // All items that can be seen, from top to bottom.
  get seen() {
    return [...this.list.querySelectorAll('[role="treeitem"]')].filter((item) => !item.parentElement.closest('[aria-expanded="false"]'));
  }

  press(event) {
    const item = this.itemOf(event.target);
    const move = (step) => this.seen[this.seen.indexOf(item) + step]?.focus();
    const actions = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      ArrowRight: () => this.right(item),
      ArrowLeft: () => this.left(item),
      Home: () => this.seen[0].focus(),
      End: () => this.seen.at(-1).focus(),
      Enter: () => this.activate(item),
      " ": () => this.activate(item),
    };
    if (!item || !actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  }

  activate(item) {
    if (this.book.isClass(this.nodeOf(item))) this.toggle(this.nodeOf(item));
    else this.switchOpen(item);
  }

  right(item) {
    if (item.getAttribute("aria-expanded") === "true") item.querySelector("[role=treeitem]")?.focus();
    else this.open(item);
  }

  left(item) {
    if (item.getAttribute("aria-expanded") === "true") this.close(item);
    else item.parentElement.closest('[role="treeitem"]')?.focus();
  }
}
