// The active filters as buttons: a click removes one.

import { FILTERS } from "./address.js";
import { byId, element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";

function chipText(name, value, classes) {
  if (name === "q") return t("documents.chip_q", { text: value });
  if (name === "predicted") return t("documents.chip_predicted", { name: classes.name(value) });
  if (name === "decided") return t("documents.chip_decided", { name: classes.name(value) });
  if (name === "by") return t("documents.chip_by", { name: value });
  if (name === "state") return t(`documents.state_${value}`);
  if (name === "corrected") return t(`documents.corrected_${value}`);
  if (name === "source") return t(`documents.source_${value}`);
  return value === "true" ? t(MARKS[name]) : t(WITHOUT[name]);
}

const MARKS = {
  flagged: "documents.flagged",
  noted: "documents.noted",
  skipped: "documents.skipped",
  disagreed: "documents.disagreed",
};

const WITHOUT = {
  flagged: "documents.chip_flagged_false",
  noted: "documents.chip_noted_false",
  skipped: "documents.chip_skipped_false",
  disagreed: "documents.chip_disagreed_false",
};

function chip(name, view, classes, remove) {
  const text = chipText(name, view[name], classes);
  const cross = element("span", { "aria-hidden": "true" }, "\u00d7");
  const label = element("span", { dir: "auto" }, text);
  const about = element("span", { class: "unseen" }, t("documents.remove_filter", { name: text }));
  label.setAttribute("aria-hidden", "true");
  return element("button", { type: "button", class: "chip", onclick: () => remove(name) }, label, cross, about);
}

export function showChips(view, classes, { remove, clear }) {
  const names = FILTERS.filter((name) => view[name]);
  const chips = names.map((name) => chip(name, view, classes, remove));
  if (names.length > 1) {
    chips.push(element("button", { type: "button", class: "quiet", onclick: clear }, t("documents.clear_filters")));
  }
  byId("active").replaceChildren(...chips);
  setVisible(byId("active"), names.length > 0);
}
