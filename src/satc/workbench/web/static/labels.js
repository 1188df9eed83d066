// The labels of a sitting as switches: predicted, possibly missed, added. Each
// shows its digit, its name and its probability as a figure and a thin bar.

import { byId, drawing, element, show } from "./dom.js";
import { percent } from "./format.js";
import { entries } from "./sitting.js";

const DIGITS = "1234567890";
const SECTIONS = ["predicted", "suggested", "added"];

function bar(probability) {
  if (probability == null) return null;
  const frame = { class: "bar", width: "100%", height: "3", "aria-hidden": "true" };
  const width = `${(100 * probability).toFixed(1)}%`;
  return drawing(
    "svg",
    frame,
    drawing("rect", { class: "rail", width: "100%", height: "3" }),
    drawing("rect", { class: "level", width, height: "3" }),
  );
}

export class Labels {
  // `toggle(label)` switches; `point(label)` marks its words; `words` says if there are any.
  constructor(names, { toggle, point, words }) {
    Object.assign(this, { names, toggle, point, words });
  }

  show(sitting) {
    const order = entries(sitting).map((entry) => entry.class);
    const withWords = this.words && !sitting.blind;
    for (const section of SECTIONS) {
      const list = sitting.sections[section];
      const rows = list.map((entry) => this.row(entry, order, sitting.chosen, withWords));
      byId(`labels-${section}`).replaceChildren(...rows);
      show(byId(`section-${section}`), list.length > 0);
    }
    this.order = order;
    this.showChosen(sitting);
  }

  row(entry, order, chosen, withWords) {
    const label = entry.class;
    const point = () => this.point(label);
    const events = {
      onmousemove: (event) => this.moved(event) && point(),
      onmouseleave: () => this.point(null),
      onfocusin: point,
    };
    return element("li", withWords ? events : {}, this.button(entry, order, chosen), withWords ? this.why(label) : null);
  }

  // A pointer that rests while the documents change beneath it points at nothing.
  moved({ screenX, screenY }) {
    const place = `${screenX} ${screenY}`;
    const moved = place !== this.place;
    this.place = place;
    return moved;
  }

  button(entry, order, chosen) {
    const label = entry.class;
    const digit = DIGITS[order.indexOf(label)];
    const attributes = {
      type: "button",
      class: "label",
      "data-label": label,
      "aria-pressed": String(chosen.has(label)),
      "aria-keyshortcuts": digit,
      onclick: (event) => this.click(event, label),
    };
    return element(
      "button",
      attributes,
      element("span", { class: "box", "aria-hidden": "true" }),
      element("span", { class: "name", dir: "auto" }, this.names[label]),
      element("span", { class: "probability" }, percent(entry.probability)),
      digit ? element("kbd", { "aria-hidden": "true" }, digit) : element("span", { class: "nokey" }),
      bar(entry.probability),
    );
  }

  why(label) {
    const title = `Mark the words for ${this.names[label]}`;
    const attributes = { type: "button", class: "why", tabindex: "-1", "data-why": label, "aria-label": title, title };
    return element("button", { ...attributes, onclick: () => this.point(label) }, "why");
  }

  // A click by pointer gives the focus back, so that Enter goes on accepting.
  click(event, label) {
    if (event.detail > 0) event.currentTarget.blur();
    this.toggle(label);
  }

  // Only the state changes: the focus stays where it is.
  press(sitting) {
    for (const button of document.querySelectorAll("button.label")) {
      button.setAttribute("aria-pressed", String(sitting.chosen.has(Number(button.dataset.label))));
    }
    this.showChosen(sitting);
  }

  markWhy(label) {
    for (const button of document.querySelectorAll("button.why")) {
      button.classList.toggle("on", Number(button.dataset.why) === label);
    }
  }

  showChosen({ chosen }) {
    const names = this.order.filter((label) => chosen.has(label)).map((label) => this.names[label]);
    byId("chosen").textContent = names.length ? names.join(", ") : "no label";
  }
}

export const labelOfDigit = (sitting, digit) => entries(sitting)[DIGITS.indexOf(digit)]?.class;
