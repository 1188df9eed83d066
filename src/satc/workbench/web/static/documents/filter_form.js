// The controls for the search and the filters.

import { byId, element } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const CLASSES = ["predicted", "decided"];
const CHOICES = ["state", "by", "corrected", "source"];
const CHECKS = ["flagged", "noted", "skipped", "disagreed"];
const TYPING_PAUSE = 250; // milliseconds

export class FilterForm {
  constructor(classes, onChange) {
    this.form = byId("filters");
    this.classes = classes;
    this.onChange = onChange;
    byId("classes").append(...classes.names.map((name) => element("option", { value: name })));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.changeSearch();
    });
    byId("q").addEventListener("input", () => this.waitForTyping());
    for (const name of [...CHOICES, ...CHECKS]) this.control(name).addEventListener("change", () => this.change(name));
    for (const name of CLASSES) this.listenToClass(name);
  }

  control(name) {
    return this.form.elements[name];
  }

  change(name) {
    const control = this.control(name);
    const value = control.type === "checkbox" ? (control.checked ? "true" : "") : control.value;
    this.onChange({ [name]: value });
  }

  waitForTyping() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.changeSearch(), TYPING_PAUSE);
  }

  changeSearch() {
    clearTimeout(this.typing);
    this.onChange({ q: byId("q").value.trim() }, { isTyping: true });
  }

  // A class is chosen when its whole name is there: from the list, or typed.
  listenToClass(name) {
    const control = this.control(name);
    const read = (isDone) => {
      const label = this.classes.find(control.value);
      const isUnknown = control.value.trim() !== "" && label === undefined;
      byId(`${name}-problem`).textContent = isDone && isUnknown ? t("documents.unknown_class") : "";
      if (!isUnknown) this.onChange({ [name]: label === undefined ? "" : String(label) });
    };
    control.addEventListener("input", () => read(false));
    control.addEventListener("change", () => read(true));
  }

  showPeople(people, chosen) {
    const names = chosen && !people.includes(chosen) ? [...people, chosen] : people;
    const anybody = this.control("by").options[0];
    const options = names.map((name) => element("option", { value: name }, name));
    this.control("by").replaceChildren(anybody, ...options);
    this.control("by").value = chosen ?? "";
  }

  // Let the controls show a view, except the one that a person is typing in.
  show(view) {
    if (document.activeElement !== byId("q") || !view.q) byId("q").value = view.q ?? "";
    for (const name of CHOICES) this.control(name).value = view[name] ?? "";
    for (const name of CHECKS) this.control(name).checked = view[name] === "true";
    for (const name of CLASSES) {
      const text = view[name] === undefined ? "" : this.classes.name(view[name]);
      if (document.activeElement !== this.control(name) || !view[name]) this.control(name).value = text;
      if (view[name]) byId(`${name}-problem`).textContent = "";
    }
  }
}
