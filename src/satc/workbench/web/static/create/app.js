// The page for a new project: files, what is known about the labels, settings, creation.

import { byId, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { complain, create } from "./creation.js";
import { FilePart } from "./file_part.js";
import { showNextSteps } from "./next_steps.js";
import { isName, linkTitleToName, proposeTitle, settingFields } from "./settings.js";
import * as sources from "./sources.js";

const files = {};

// The labels in the file of the documents are looked at as predictions.
let sameToken = "";

function lookAtSame() {
  const { documents } = files;
  const key = `${documents.token} ${documents.mapping.sheet}`;
  if (sources.source() !== "same" || !documents.token || documents.isBusy || key === sameToken) return;
  sameToken = key;
  files.same.takeToken(documents.token, documents.mapping.sheet);
}

function isCold(source) {
  if (source === "train") return false;
  return !(source === "scores" ? files.oof_scores : files.known).token;
}

function refresh() {
  const source = sources.source();
  const { documents } = files;
  const isThere = documents.token !== null && !documents.preview.error;
  setVisible(byId("known-section"), isThere);
  sources.showSource(source);
  lookAtSame();
  if (files.same.mapping.id !== undefined) {
    files.same.mapping.id = documents.mapping.id;
    files.same.mapping.text = documents.mapping.text;
  }
  const labelled = sources.labelled(source, files);
  const understood = labelled?.preview?.understood ?? null;
  const isComplete = isThere && sources.requiredParts(source).every((part) => files[part].token) && (source !== "same" || files.same.token);
  if (isComplete) sources.showTask(understood);
  setVisible(byId("task-choice"), Boolean(isComplete));
  setVisible(byId("settings-section"), Boolean(isComplete));
  setVisible(byId("create-section"), Boolean(isComplete));
  if (!isComplete) return;
  proposeTitle(documents.name);
  showNextSteps({
    source,
    documents: documents.preview.understood,
    labelled: understood,
    task: sources.task(),
    isCold: isCold(source),
  });
}

function complaints(source) {
  const needed = [...sources.requiredParts(source).map((part) => files[part]), ...(source === "same" ? [files.same] : [])];
  const others = sources.partsOf(source).map((part) => files[part]).filter((file) => file.token && !needed.includes(file));
  const found = [...needed, ...others].map((file) => file.complaint()).filter((text) => text !== null);
  if (!byId("title").value.trim()) found.push(t("create.needs_title"));
  if (!isName(byId("name").value.trim())) found.push(t("create.needs_name"));
  return [...new Set(found)];
}

function submit(event) {
  event.preventDefault();
  const source = sources.source();
  const found = complaints(source);
  if (found.length) {
    complain(found);
    return;
  }
  const settings = settingFields(source, sources.task());
  create({ ...settings, ...sources.columnFields(source, files), ...sources.fileFields(source, files) });
}

for (const root of document.querySelectorAll(".file")) files[root.dataset.part] = new FilePart(root.dataset.part, root, refresh);
files.same = new FilePart("predictions", byId("same-labels"), refresh);
linkTitleToName();
byId("new-project").addEventListener("change", (event) => {
  if (event.target.name === "task") sources.touchTask();
  if (!event.target.closest(".file") && !event.target.closest("#same-labels")) refresh();
});
// While it is typed: a line that appears when the field is left would move the button away under the mouse.
byId("audit").addEventListener("input", refresh);
byId("new-project").addEventListener("submit", submit);
// A file that misses a drop zone must not replace the page.
for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());
refresh();
for (const file of Object.values(files)) file.takeChosen();
