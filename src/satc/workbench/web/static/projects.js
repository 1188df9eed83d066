// The list of projects: shows the progress of projects that are being created,
// and reloads the page when one is ready.

const REFRESH_MILLISECONDS = 3000;

const TASKS = { "single-label": "One label per document.", "multi-label": "Any number of labels per document." };

const itemsInCreation = () => [...document.querySelectorAll('[data-state="creating"]')];

async function refresh() {
  const response = await fetch("/api/v1/projects").catch(() => null);
  if (!response?.ok) return null;
  const { projects } = await response.json();
  for (const item of itemsInCreation()) {
    const project = projects.find(({ name }) => name === item.dataset.project);
    if (project?.state !== "creating") return location.reload();
    item.querySelector(".step").textContent = project.progress ?? "";
    item.querySelector(".task").textContent = TASKS[project.task] ?? "";
  }
  return null;
}

if (itemsInCreation().length) setInterval(() => document.hidden || refresh(), REFRESH_MILLISECONDS);
