// The list of projects: shows the progress of projects that are being created,
// and reloads the page when one is ready.

const REFRESH_MILLISECONDS = 3000;

const itemsInCreation = () => [...document.querySelectorAll('[data-state="creating"]')];

async function refresh() {
  const response = await fetch("/api/v1/projects").catch(() => null);
  if (!response?.ok) return;
  const { projects } = await response.json();
  for (const item of itemsInCreation()) {
    const project = projects.find(({ name }) => name === item.dataset.project);
    if (project?.state !== "creating") location.reload();
    else item.querySelector(".step").textContent = project.progress ?? "";
  }
}

if (itemsInCreation().length) setInterval(() => document.hidden || refresh(), REFRESH_MILLISECONDS);
