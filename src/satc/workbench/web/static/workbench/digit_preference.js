// Whether a digit only chooses a class, or also goes to the next document. Each
// person sets it on the page; their browser remembers it for all projects.

import { byId } from "../shared/dom.js";

const KEY = "satc.digit-submits";

export class DigitPreference {
  constructor() {
    this.box = byId("digit-submits");
    this.box.checked = localStorage.getItem(KEY) !== "no";
    this.box.addEventListener("change", () => localStorage.setItem(KEY, this.box.checked ? "yes" : "no"));
    this.box.addEventListener("click", (event) => event.detail > 0 && this.box.blur());
  }

  get submits() {
    return this.box.checked;
  }
}
