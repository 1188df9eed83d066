// The labels of a task as buttons that turn on and off: predicted, possibly
// missing, added. Each shows its digit, its name, and its probability as a
// number and a thin bar. Where every document has one label, they are radio buttons.

import { byId, element, setVisible, svgElement } from "./dom.js";
import { percent } from "./format.js";
import { listedLabels } from "./task.js";

const DIGITS = "1234567890";
const SECTIONS = ["predicted", "suggested", "added"];

function probabilityBar(probability) {
  if (probability == null) return null;
  const frame = { class: "bar", width: "100%", height: "3", "aria-hidden": "true" };
  const width = `${(100 * probability).toFixed(1)}%`;
  return svgElement(
    "svg",
    frame,
    svgElement("rect", { class: "rail", width: "100%", height: "3" }),
    svgElement("rect", { class: "level", width, height: "3" }),
  );
}

export class Labels {
  // `toggle(label)` turns a label on or off; `showWords(label)` marks its words (null: the pointer
  // has left); `hasWords` says whether there are words to mark, `isSingle` whether every document
  // has one label.
  constructor(book, { toggle, showWords, hasWords, isSingle }) {
    Object.assign(this, { book, names: book.names, toggle, showWords, hasWords, isSingle });
    this.state = isSingle ? "aria-checked" : "aria-pressed";
    if (isSingle) byId("choices").addEventListener("keydown", (event) => this.pressArrow(event));
  }

  show(task) {
    const order = listedLabels(task).map((entry) => entry.class);
    const withWords = this.hasWords && !task.blind;
    for (const section of SECTIONS) {
      const entries = task.sections[section];
      const rows = entries.map((entry) => this.row(entry, order, task.chosen, withWords));
      byId(`labels-${section}`).replaceChildren(...rows);
      setVisible(byId(`section-${section}`), entries.length > 0);
    }
    this.order = order;
    if (this.isSingle) this.showRadioHeadings(task);
    this.showState(task);
  }

  showRadioHeadings({ sections }) {
    byId("heading-suggested").textContent = sections.predicted.length ? "Other classes" : "Classes";
  }

  row(entry, order, chosen, withWords) {
    const label = entry.class;
    const showWords = () => this.showWords(label);
    const events = {
      onmousemove: (event) => this.hasMoved(event) && showWords(),
      onmouseleave: () => this.showWords(null),
      onfocusin: showWords,
    };
    const wordsButton = withWords ? this.wordsButton(label) : null;
    const role = this.isSingle ? "none" : null;
    return element("li", { role, ...(withWords ? events : {}) }, this.button(entry, order, chosen), wordsButton);
  }

  // The browser also reports a move when the list changes under a pointer that rests.
  hasMoved({ screenX, screenY }) {
    const position = `${screenX} ${screenY}`;
    const moved = position !== this.pointerPosition;
    this.pointerPosition = position;
    return moved;
  }

  button(entry, order, chosen) {
    const label = entry.class;
    const digit = DIGITS[order.indexOf(label)];
    const key = this.book.keyOf.get(label) ?? digit;
    const attributes = {
      type: "button",
      class: "label",
      "data-label": label,
      role: this.isSingle ? "radio" : null,
      [this.state]: String(chosen.has(label)),
      title: this.book.definitions[label] || null,
      "aria-keyshortcuts": [...new Set([digit, key])].filter(Boolean).join(" ") || null,
      onclick: (event) => this.click(event, label),
    };
    return element(
      "button",
      attributes,
      element("span", { class: "box", "aria-hidden": "true" }),
      element("span", { class: "name", dir: "auto" }, this.names[label]),
      this.book.isClosed ? element("span", { class: "implied" }) : null,
      element("span", { class: "probability" }, percent(entry.probability)),
      key ? element("kbd", { "aria-hidden": "true" }, key) : element("span", { class: "nokey" }),
      probabilityBar(entry.probability),
    );
  }

  wordsButton(label) {
    const title = `Mark the words for ${this.names[label]}`;
    const attributes = { type: "button", class: "why", tabindex: "-1", "data-why": label, "aria-label": title, title };
    return element("button", { ...attributes, onclick: () => this.showWords(label) }, "why");
  }

  // After a click with the pointer the button loses the focus, so that Enter accepts again.
  click(event, label) {
    if (event.detail > 0) event.currentTarget.blur();
    this.toggle(label);
  }

  // Updates the buttons in place, so that the focus stays where it is.
  showState(task) {
    const implied = this.book.implied(task.chosen);
    for (const button of document.querySelectorAll("button.label")) {
      const label = Number(button.dataset.label);
      button.setAttribute(this.state, String(task.chosen.has(label)));
      const mark = button.querySelector(".implied");
      if (mark) mark.textContent = task.chosen.has(label) && implied.has(label) ? "implied" : "";
    }
    if (this.isSingle) this.showTabStop(task);
    this.showChosen(task);
  }

  // In a group of radio buttons, Tab goes to the chosen one, or to the first.
  showTabStop({ chosen }) {
    const buttons = [...document.querySelectorAll("button.label")];
    const stop = buttons.find((button) => chosen.has(Number(button.dataset.label))) ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  }

  // Arrow keys choose the class above or below.
  pressArrow(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const buttons = [...document.querySelectorAll("button.label")];
    const place = buttons.indexOf(event.target.closest("button.label"));
    if (!step || place < 0) return;
    event.preventDefault();
    const next = buttons[(place + step + buttons.length) % buttons.length];
    this.toggle(Number(next.dataset.label));
    next.focus();
  }

  showMarkedLabel(label) {
    for (const button of document.querySelectorAll("button.why")) {
      button.classList.toggle("on", Number(button.dataset.why) === label);
    }
  }

  showChosen({ chosen }) {
    const names = this.order.filter((label) => chosen.has(label)).map((label) => this.names[label]);
    byId("chosen").textContent = names.length ? names.join(", ") : this.isSingle ? "nothing yet" : "no label";
    if (this.isSingle) setVisible(byId("must-choose"), false);
  }
}

export const labelOfDigit = (task, digit) => listedLabels(task)[DIGITS.indexOf(digit)]?.class;
