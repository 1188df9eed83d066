// Which columns of a file hold what: a person sees the guess, and changes it.

import { element } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { selectBox, textBox, tickList } from "./controls.js";

const SHAPES = ["one", "several", "classes"];
const KINDS = ["probabilities", "scores", "logits", "labels", "votes"];

// Names with commas or quotes are quoted, as in a line of CSV.
const quoted = (name) => (/[,"\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

export const joinedNames = (names) => names.map(quoted).join(",");

function shapeOf(mapping, part) {
  if (mapping.label_columns != null) return "classes";
  if (mapping.columns.length) return "several";
  return mapping.labels_column != null || part === "train" ? "one" : "auto";
}

export class Mapping {
  constructor(part) {
    this.part = part;
    this.sheet = null;
    this.kind = "";
  }

  // The columns as the server has guessed them.
  takeGuess(preview) {
    const { mapping } = preview;
    this.sheet = preview.sheet;
    this.id = mapping.id_column ?? "";
    this.text = mapping.text_column ?? "";
    this.separator = mapping.separator;
    this.shape = shapeOf(mapping, this.part);
    this.labels = this.shape === "one" ? (mapping.labels_column ?? "") : "";
    this.columns = mapping.columns;
  }

  get hasLabels() {
    return this.part !== "documents";
  }

  get isComplete() {
    return this.part === "predictions" || (this.id !== "" && this.text !== "");
  }

  // The fields of a preview.
  fields() {
    const labels = {
      one: { labels_column: this.labels },
      several: { labels_column: joinedNames(this.columns) },
      classes: { label_columns: joinedNames(this.columns) },
    }[this.hasLabels ? this.shape : "auto"];
    return {
      part: this.part,
      mapped: "true",
      id_column: this.id,
      text_column: this.text,
      separator: this.separator || "|",
      sheet: this.sheet,
      kind: this.kind || null,
      ...labels,
    };
  }

  // The select boxes; `isShort` leaves out ids and texts, which are mapped elsewhere.
  render(preview, onChange, isShort = false) {
    const set = (name) => (value) => {
      this[name] = value;
      onChange(name);
    };
    const columns = [["", t("create.no_column")], ...preview.columns.map((name) => [name, name])];
    const parts = [];
    if (preview.format.sheets.length > 1 && !isShort)
      parts.push(selectBox(t("create.sheet"), preview.format.sheets.map((name) => [name, name]), this.sheet, set("sheet")));
    if (!isShort) {
      parts.push(selectBox(t("create.id_column"), columns, this.id, set("id")));
      if (this.part !== "predictions") parts.push(selectBox(t("create.text_column"), columns, this.text, set("text")));
    }
    if (this.hasLabels) parts.push(...this.labelControls(preview, columns, set));
    return element("div", { class: "mapping", role: "group", "aria-label": t("create.columns_of", { name: preview.name }) }, ...parts);
  }

  labelControls(preview, columns, set) {
    const isPredicted = this.part === "predictions";
    const names = {
      auto: t("create.labels_auto"),
      one: t("create.labels_one"),
      several: t("create.labels_several"),
      classes: isPredicted ? t("create.labels_classes_predicted") : t("create.labels_classes"),
    };
    const shapes = (isPredicted ? ["auto", ...SHAPES] : SHAPES).map((shape) => [shape, names[shape]]);
    const parts = [selectBox(t("create.labels_where"), shapes, this.shape, set("shape"))];
    if (this.shape === "one") {
      parts.push(selectBox(t("create.labels_column"), columns, this.labels, set("labels")));
      parts.push(textBox(t("create.separator"), this.separator, set("separator")));
    } else if (this.shape !== "auto") {
      const free = preview.columns.filter((name) => name !== this.id && name !== this.text);
      parts.push(tickList(t("create.label_columns"), free, this.columns, set("columns")));
    }
    if (isPredicted && this.shape !== "one") {
      const kinds = [["", t("create.kind_auto")], ...KINDS.map((kind) => [kind, t(`create.kind_${kind}`)])];
      parts.push(selectBox(t("create.kind"), kinds, this.kind, set("kind")));
    }
    return parts;
  }
}
