// The settings of a project: sends the values that were changed, and shows what
// the server says about a wrong one beside its field.

import { byId } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { announce, showError, showInfo } from "../shared/notices.js";
import { api, attempt, change, clearNotices, upload } from "./requests.js";

const form = byId("settings");
const fields = [...form.querySelectorAll("[data-kind]")];

const numberOf = (text, scale) => (text.trim() === "" ? null : Number((Number(text) * scale).toPrecision(12)));

const READ = {
  text: (field) => field.value,
  number: (field) => numberOf(field.value, 1),
  share: (field) => numberOf(field.value, 0.01),
  minutes: (field) => numberOf(field.value, 60),
};

const WRITE = {
  text: (value) => value,
  number: (value) => (value == null ? "" : String(value)),
  share: (value) => String(Number((100 * value).toPrecision(12))),
  minutes: (value) => String(Number((value / 60).toPrecision(12))),
};

const read = (field) => READ[field.dataset.kind](field);

let saved = new Map(fields.map((field) => [field.name, read(field)]));

function markWrong(field) {
  for (const one of fields) one.toggleAttribute("aria-invalid", false);
  if (!field) return;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

function changes() {
  return Object.fromEntries(fields.map((field) => [field.name, read(field)]).filter(([name, value]) => value !== saved.get(name)));
}

function showSaved(values) {
  for (const field of fields) field.value = WRITE[field.dataset.kind](values[field.name]);
  saved = new Map(fields.map((field) => [field.name, read(field)]));
  document.querySelector(".top h1").textContent = values.title;
}

// A refusal begins with the name of its field.
const fieldOf = (message) => fields.find((field) => new RegExp(`^${field.name}\\b`).test(message));

async function save(event) {
  event.preventDefault();
  clearNotices();
  const invalid = fields.find((field) => !field.checkValidity());
  if (invalid) {
    markWrong(invalid);
    showError(`${form.querySelector(`label[for="${invalid.id}"]`).textContent}: ${invalid.validationMessage}`);
    return;
  }
  const sent = changes();
  if (!Object.keys(sent).length) return showInfo(t("manage.nothing_changed"));
  try {
    const answer = await change("PATCH", api.base, sent);
    markWrong(null);
    showSaved(answer.changeable);
    showInfo(t("manage.saved"));
    announce(t("manage.saved"));
  } catch (error) {
    markWrong(fieldOf(error.message));
    showError(error.message);
  }
}

function bookText({ n_classes: n, unused, needs_restart: restart }) {
  const parts = [t("manage.book_replaced", { n })];
  if (unused.length) parts.push(t("manage.book_unused", { n: unused.length }));
  if (restart) parts.push(t("manage.book_restart"));
  return parts;
}

async function replaceBook(event) {
  event.preventDefault();
  const data = new FormData();
  const [file] = byId("classes").files;
  if (!file) {
    clearNotices();
    showError(t("manage.choose_file"));
    byId("classes").focus();
    return;
  }
  data.append("classes", file);
  if (byId("hierarchy").value) data.append("hierarchy", byId("hierarchy").value);
  const answer = await attempt(() => upload("PUT", `${api.base}/code-book`, data));
  if (!answer) return;
  for (const text of bookText(answer)) showInfo(text);
  event.target.reset();
}

form.addEventListener("submit", save);
byId("code-book").addEventListener("submit", replaceBook);
