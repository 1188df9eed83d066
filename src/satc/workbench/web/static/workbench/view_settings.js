// How a person likes to read: text size, line width, typeface, and whether words
// are marked. The browser remembers it for all projects. The style sheet reads it
// from attributes of the page.

import { byId } from "../shared/dom.js";

const KEY = "satc.view";
const DEFAULTS = { size: "medium", width: "medium", face: "serif", marks: true };

export class ViewSettings {
  constructor() {
    this.form = byId("view-form");
    this.values = { ...DEFAULTS, ...this.read() };
    for (const name of ["size", "width", "face"]) {
      const field = this.form.elements[name];
      if (![...field].some(({ value }) => value === this.values[name])) this.values[name] = DEFAULTS[name];
      field.value = this.values[name];
    }
    this.form.addEventListener("change", () => this.take());
    this.apply();
  }

  read() {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}");
    } catch {
      return {};
    }
  }

  take() {
    const { size, width, face, marks } = this.form.elements;
    this.values = { size: size.value, width: width.value, face: face.value, marks: marks.checked };
    this.keep();
  }

  toggleMarks() {
    this.values.marks = !this.values.marks;
    this.keep();
    return this.values.marks;
  }

  keep() {
    localStorage.setItem(KEY, JSON.stringify(this.values));
    this.apply();
  }

  apply() {
    const { size, width, face, marks } = this.values;
    Object.assign(document.body.dataset, { textSize: size, textWidth: width, textFace: face, marks: marks ? "shown" : "hidden" });
    this.form.elements.marks.checked = marks;
  }
}
