// The settings of the new project. Only those that differ from their defaults are sent.

import { byId } from "../shared/dom.js";

const PARTS = ["source", "task", "none_class"]; // fields of other steps
const OF_SOURCE = { language: "train", analyzer: "train", learner: "train", folds: "train", digits: "train" };

// A name for the address: letters, digits, spaces, dots and dashes.
export const nameOf = (title) =>
  title
    .replace(/[^\p{L}\p{N}_ .-]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[ .-]+/, "")
    .trim()
    .slice(0, 100);

export const isName = (name) => /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,99}$/u.test(name);

// The name follows the title until somebody writes another one.
export function linkTitleToName() {
  let isOwn = false;
  byId("name").addEventListener("input", () => {
    isOwn = byId("name").value !== "";
  });
  byId("title").addEventListener("input", () => {
    if (!isOwn) byId("name").value = nameOf(byId("title").value);
  });
}

// The name of the first file is a good title.
export function proposeTitle(file) {
  if (byId("title").value) return;
  const stem = file.replace(/\.gz$/i, "").replace(/\.[^.]+$/, "").replaceAll("_", " ");
  byId("title").value = stem;
  byId("title").dispatchEvent(new Event("input"));
}

function valueOf(control) {
  if (control.type === "checkbox") return control.checked ? "true" : "";
  const value = control.value.trim();
  return value && control.dataset.unit ? `${value}${control.dataset.unit}` : value;
}

const isChanged = (control) =>
  control.type === "checkbox" ? control.checked : control.value.trim() !== control.dataset.default;

export function settingFields(source, task) {
  const fields = {};
  for (const control of byId("new-project").querySelectorAll("[name]")) {
    const { name } = control;
    const isElsewhere = PARTS.includes(name) || (OF_SOURCE[name] ?? source) !== source;
    const isPredicted = name === "threshold" && !["same", "predictions"].includes(source);
    if (!isElsewhere && !isPredicted && isChanged(control) && valueOf(control)) fields[name] = valueOf(control);
  }
  if (task) fields.task = task;
  const none = byId("none_class").value.trim();
  if (none && task === "single-label") {
    fields.none_class = none;
    delete fields.task; // the class of documents without a label says it
  }
  return fields;
}
