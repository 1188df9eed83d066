// The list of projects: shows the progress of projects that are being created,
// reloads the page when one is ready, and dismisses those that failed.

import { apiAddress } from "../shared/addresses.js";
import { Api } from "../shared/api.js";
import { t } from "../shared/messages.js";
import { showError } from "../shared/notices.js";

const REFRESH_MILLISECONDS = 3000;

const itemsInCreation = () => [...document.querySelectorAll('[data-state="creating"]')];

const taskText = (task) =>
  task ? (task === "single-label" ? t("projects.one_label") : t("projects.any_labels")) : "";

async function refresh() {
  const response = await fetch(apiAddress("projects")).catch(() => null);
  if (!response?.ok) return null;
  const { projects } = await response.json();
  for (const item of itemsInCreation()) {
    const project = projects.find(({ name }) => name === item.dataset.project);
    if (project?.state !== "creating") return location.reload();
    const step = t("projects.creating", { step: project.progress || t("projects.waiting") });
    if (item.querySelector(".step").textContent !== step) item.querySelector(".step").textContent = step;
    item.querySelector(".task").textContent = taskText(project.task);
  }
  return null;
}

async function dismiss(item) {
  const api = new Api(item.dataset.project, document.querySelector('meta[name="csrf-token"]').content);
  try {
    await api.send("DELETE", "creation");
    item.remove();
  } catch (error) {
    if (error.status === 404) item.remove();
    else showError(error.message);
  }
}

for (const button of document.querySelectorAll(".dismiss"))
  button.addEventListener("click", () => dismiss(button.closest("li")));
if (itemsInCreation().length) setInterval(() => document.hidden || refresh(), REFRESH_MILLISECONDS);
