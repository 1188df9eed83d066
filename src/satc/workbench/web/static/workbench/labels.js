// The labels beside a document, as buttons that turn on and off; where every
// document has one label, they are radio buttons. Of a small code book all classes
// are listed, in its order, each under its own key: from document to document only
// the marks change. Of a larger one, the predicted labels, those that may be
// missing, and those that the person has added are listed.

import { breakable, byId, element, setVisible, svgElement } from "../shared/dom.js";
import { percent } from "../shared/format.js";
import { t } from "../shared/messages.js";

const DIGITS = "1234567890";
const MOST_IN_ONE_COLUMN = 10;
const LONGEST_IN_TWO_COLUMNS = 28; // letters of a name

function probabilityBar() {
  return svgElement(
    "svg",
    { class: "bar", width: "100%", height: "3", "aria-hidden": "true" },
    svgElement("rect", { class: "rail", width: "100%", height: "3" }),
    svgElement("rect", { class: "level", width: "0", height: "3" }),
  );
}

export const labelOfDigit = ({ listed }, digit) => listed[DIGITS.indexOf(digit)];

export class Labels {
  // `toggle(label)` turns a label on or off; `showWords(label)` marks its words (null: the pointer
  // has left); `hasWords` says whether there are words to mark, `isSingle` whether every document
  // has one label.
  constructor(book, { toggle, showWords, hasWords, isSingle }) {
    Object.assign(this, { book, names: book.names, toggle, showWords, hasWords, isSingle });
    this.state = isSingle ? "aria-checked" : "aria-pressed";
    this.list = byId("labels-list");
    this.rows = new Map();
    if (isSingle) this.list.addEventListener("keydown", (event) => this.pressArrow(event));
    if (book.isSmall) this.listAll();
  }

  listAll() {
    const { order } = this.book;
    const isShort = order.every((label) => this.names[label].length <= LONGEST_IN_TWO_COLUMNS);
    const columns = order.length > MOST_IN_ONE_COLUMN && isShort ? 2 : 1;
    this.list.dataset.columns = columns;
    this.list.style.setProperty("--rows", Math.ceil(order.length / columns));
    this.draw(order, (label) => this.book.keyOf.get(label));
  }

  draw(labels, keyOf) {
    this.rows = new Map(labels.map((label, i) => [label, this.row(label, keyOf(label, i))]));
    this.list.replaceChildren(...this.rows.values());
  }

  show(task) {
    if (!this.book.isSmall) this.draw(task.listed, (label, i) => this.book.keyOf.get(label) ?? DIGITS[i]);
    for (const [label, row] of this.rows) this.showEntry(row, task.blind ? undefined : task.entries.get(label));
    this.withWords = this.hasWords && !task.blind;
    this.list.toggleAttribute("data-words", this.withWords);
    const marks = new Set(task.blind ? [] : [...task.entries.values()].map(({ mark }) => mark));
    for (const mark of ["predicted", "missing"]) setVisible(byId(`legend-${mark}`), marks.has(mark));
    setVisible(byId("labels-none"), this.rows.size === 0);
    this.showState(task);
  }

  // Labels that were added to the list since it was drawn.
  hasNew({ listed }) {
    return !this.book.isSmall && listed.length > this.rows.size;
  }

  row(label, key) {
    const showWords = () => this.withWords && this.showWords(label);
    const events = {
      onmousemove: (event) => this.hasMoved(event) && showWords(),
      onmouseleave: () => this.showWords(null),
      onfocusin: showWords,
    };
    const role = this.isSingle ? "none" : null;
    const words = this.hasWords ? this.wordsButton(label) : null;
    return element("li", { role, ...events }, this.button(label, key), words);
  }

  // The browser also reports a move when the list changes under a pointer that rests.
  hasMoved({ screenX, screenY }) {
    const position = `${screenX} ${screenY}`;
    const moved = position !== this.pointerPosition;
    this.pointerPosition = position;
    return moved;
  }

  button(label, key) {
    const attributes = {
      type: "button",
      class: "label",
      "data-label": label,
      role: this.isSingle ? "radio" : null,
      "aria-keyshortcuts": key ?? null,
      onclick: (event) => this.click(event, label),
    };
    return element(
      "button",
      attributes,
      key ? element("kbd", { "aria-hidden": "true" }, key) : element("span", { class: "nokey" }),
      element("span", { class: "box", "aria-hidden": "true" }),
      element("span", { class: "name", dir: "auto" }, ...breakable(this.names[label])),
      this.book.isClosed ? element("span", { class: "implied" }) : null,
      element("span", { class: "unseen said" }),
      element("span", { class: "probability" }),
      probabilityBar(),
    );
  }

  // The visible word is the beginning of the name of the button.
  wordsButton(label) {
    const rest = element("span", { class: "unseen" }, `: ${t("workbench.words_of", { name: this.names[label] })}`);
    const attributes = { type: "button", class: "why", tabindex: "-1", "data-why": label };
    return element("button", { ...attributes, onclick: () => this.showWords(label) }, t("workbench.why"), rest);
  }

  // The mark and the probability that a label has in this document.
  showEntry(row, entry) {
    const mark = entry?.mark ?? "";
    const probability = mark ? (entry.probability ?? null) : null;
    row.dataset.mark = mark;
    const said = this.isSingle && mark === "missing" ? "alternative" : mark;
    row.querySelector(".said").textContent = said ? t(`workbench.mark_${said}`) : "";
    row.querySelector(".probability").textContent = percent(probability);
    row.querySelector(".level").setAttribute("width", `${(100 * (probability ?? 0)).toFixed(1)}%`);
    row.querySelector(".bar").toggleAttribute("hidden", probability === null);
  }

  // After a click with the pointer the button loses the focus, so that Enter accepts again.
  click(event, label) {
    if (event.detail > 0) event.currentTarget.blur();
    this.toggle(label);
  }

  // Updates the buttons in place, so that the focus stays where it is.
  showState({ chosen }) {
    const implied = this.book.implied(chosen);
    for (const [label, row] of this.rows) {
      const button = row.firstElementChild;
      button.setAttribute(this.state, String(chosen.has(label)));
      const mark = button.querySelector(".implied");
      if (mark) mark.textContent = chosen.has(label) && implied.has(label) ? t("workbench.implied") : "";
    }
    if (this.isSingle) this.showTabStop(chosen);
  }

  get buttons() {
    return [...this.rows.values()].map((row) => row.firstElementChild);
  }

  // In a group of radio buttons, Tab goes to the chosen one, or to the first.
  showTabStop(chosen) {
    const stop = this.buttons.find((button) => chosen.has(Number(button.dataset.label))) ?? this.buttons[0];
    for (const button of this.buttons) button.tabIndex = button === stop ? 0 : -1;
  }

  // Arrow keys choose the class above or below.
  pressArrow(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const place = this.buttons.indexOf(event.target.closest("button.label"));
    if (!step || place < 0) return;
    event.preventDefault();
    const next = this.buttons[(place + step + this.buttons.length) % this.buttons.length];
    this.toggle(Number(next.dataset.label));
    next.focus();
  }

  showMarkedLabel(label) {
    for (const button of this.list.querySelectorAll("button.why")) {
      button.classList.toggle("on", Number(button.dataset.why) === label);
    }
  }
}
