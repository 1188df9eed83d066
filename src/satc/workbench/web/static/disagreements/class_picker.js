// The choice of labels where both answers are wrong: a list of all classes that a
// search narrows. The classes that are chosen, and those of the two answers, come first.

import { byId, element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const MOST_LISTED = 40;

const normalise = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export class ClassPicker {
  // `settle(labels)` is called with the labels that were chosen.
  constructor(book, isSingle, settle) {
    Object.assign(this, { book, isSingle, settle });
    this.texts = book.names
      .slice(0, book.size)
      .map((name, i) => normalise(`${name}\n${book.codes[i]}\n${book.definitions[i]}`));
    this.chosen = new Set();
    this.first = [];
    byId("filter").addEventListener("input", () => this.draw());
    byId("filter").addEventListener("keydown", (event) => this.press(event));
    byId("save-others").addEventListener("click", () => this.save());
  }

  // Begins with the labels that both people gave.
  show({ first, second }) {
    const both = first.labels.filter((label) => second.labels.includes(label));
    this.chosen = new Set(this.isSingle ? [] : both);
    this.first = [...new Set([...first.labels, ...second.labels])].sort((a, b) => a - b);
    byId("filter").value = "";
    byId("others").open = false;
    setVisible(byId("must-choose"), false);
    this.draw();
  }

  open() {
    byId("others").open = true;
    byId("filter").focus();
  }

  close() {
    byId("others").open = false;
    byId("others").querySelector("summary").focus();
  }

  // Enter in the search switches the first class that was found.
  press(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const [found] = this.found();
    if (found === undefined || !byId("filter").value.trim()) return;
    this.toggle(found);
    byId("filter").select();
  }

  found() {
    const wanted = normalise(byId("filter").value).split(/\s+/).filter(Boolean);
    const all = this.texts.map((_, i) => i);
    if (wanted.length) return all.filter((i) => wanted.every((word) => this.texts[i].includes(word)));
    const before = new Set([...this.first, ...this.chosen]);
    return [...before, ...all.filter((i) => !before.has(i))];
  }

  draw() {
    const found = this.found();
    const rows = found.slice(0, MOST_LISTED).map((label) => this.row(label));
    const legend = byId("classes").querySelector("legend");
    byId("classes").replaceChildren(legend, ...rows);
    const n = found.length - rows.length;
    byId("classes-more").textContent = n > 0 ? t("disagreements.more_classes", { n }) : "";
    if (!found.length) byId("classes-more").textContent = t("disagreements.no_class_found");
    this.showChosen();
  }

  get labels() {
    return [...this.chosen].sort((a, b) => a - b);
  }

  showChosen() {
    const labels = this.labels.map((label) => this.book.names[label]);
    const text = labels.length ? t("disagreements.chosen_labels", { labels }) : t("disagreements.none_chosen");
    byId("chosen-labels").textContent = text;
  }

  row(label) {
    const input = element("input", {
      type: this.isSingle ? "radio" : "checkbox",
      name: "label",
      value: label,
      onchange: () => this.toggle(label),
    });
    input.checked = this.chosen.has(label);
    const title = this.book.definitions[label] || null;
    return element("label", { title }, input, element("span", { dir: "auto" }, this.book.names[label]));
  }

  toggle(label) {
    const isOn = !this.chosen.has(label) || this.isSingle;
    if (this.isSingle) this.chosen.clear();
    for (const one of [label, ...(this.isSingle ? [] : this.book.follows(label, isOn))]) {
      if (isOn) this.chosen.add(one);
      else this.chosen.delete(one);
    }
    setVisible(byId("must-choose"), false);
    this.showChosen();
    for (const input of byId("classes").querySelectorAll("input")) input.checked = this.chosen.has(Number(input.value));
  }

  save() {
    if (this.isSingle && !this.chosen.size) return setVisible(byId("must-choose"), true);
    return this.settle(this.labels);
  }
}
