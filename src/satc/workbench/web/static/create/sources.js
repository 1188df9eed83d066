// What is known about the labels: the choice of a source, its files, and how many labels there are.

import { byId, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { joinedNames } from "./mapping.js";

const FILES = {
  train: ["train", "embeddings", "train_embeddings"],
  same: ["known", "features", "train_features"],
  predictions: ["predictions", "known", "features", "train_features"],
  scores: ["scores", "oof_scores", "train_labels", "features", "train_features"],
};
const REQUIRED = { train: ["train"], same: [], predictions: ["predictions"], scores: ["scores"] };
const ALWAYS = ["documents", "classes", "class_weights", "opinion"];

export const source = () => document.querySelector('input[name="source"]:checked').value;

export const partsOf = (chosen) => [...ALWAYS, ...FILES[chosen]];

export const requiredParts = (chosen) => ["documents", ...REQUIRED[chosen]];

export function showSource(chosen) {
  for (const node of document.querySelectorAll("[data-for]"))
    setVisible(node, node.dataset.for.split(" ").includes(chosen));
}

// The file whose labels are learnt or checked; scores have none.
export const labelled = (chosen, files) => ({ train: files.train, same: files.same, predictions: files.predictions })[chosen];

let isTaskTouched = false;

export const touchTask = () => {
  isTaskTouched = true;
};

export const task = () => document.querySelector('input[name="task"]:checked')?.value ?? "";

function reason(understood) {
  if (!understood?.task) return "";
  const hasSeveral = Object.keys(understood.n_labels).some((n) => n > 1);
  if (understood.task === "multi-label") return hasSeveral ? t("create.task_reason_several") : "";
  return understood.n_labels[0] ? t("create.task_reason_nearly") : t("create.task_reason_single");
}

export function showTask(understood) {
  const guess = understood?.task ?? "";
  setVisible(byId("task-unknown"), !guess);
  if (!isTaskTouched || (!task() && guess)) document.querySelector(`input[name="task"][value="${guess}"]`).checked = true;
  byId("task-reason").textContent = reason(understood);
  setVisible(byId("task-choice"), true);
  setVisible(byId("none-class-choice"), task() === "single-label" && Boolean(understood?.n_labels[0]));
}

// The fields that say how the labels of a file are read.
function labelFields(mapping, isPredicted) {
  const names = joinedNames(mapping.columns ?? []);
  if (mapping.shape === "one") return { labels_column: mapping.labels || null, separator: mapping.separator || null };
  if (mapping.shape === "several") return { labels_column: names };
  if (mapping.shape === "classes") return isPredicted ? { class_columns: names } : { label_columns: names };
  return {};
}

export function columnFields(chosen, files) {
  const { documents } = files;
  const fields = { id_column: documents.mapping.id, text_column: documents.mapping.text };
  const other = labelled(chosen, files);
  if (!other?.mapping) return fields;
  Object.assign(fields, labelFields(other.mapping, chosen !== "train"));
  const kind = other.mapping.kind || other.preview?.mapping.kind || null;
  if (chosen === "same") return { ...fields, kind };
  fields.train_id_column = other.mapping.id || null;
  fields.train_text_column = other.mapping.text || null;
  return chosen === "predictions" ? { ...fields, kind } : fields;
}

export function fileFields(chosen, files) {
  const kept = {};
  const sheets = {};
  for (const part of partsOf(chosen)) {
    const file = files[part];
    if (!file?.token) continue;
    kept[part] = file.token;
    if (file.preview.sheet) sheets[part] = file.mapping?.sheet ?? file.preview.sheet;
  }
  if (chosen === "same") {
    kept.predictions = files.documents.token;
    if (sheets.documents) sheets.predictions = sheets.documents;
  }
  return { kept: JSON.stringify(kept), sheets: JSON.stringify(sheets) };
}
