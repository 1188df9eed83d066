// The list of projects: while one is being made, its progress is kept up to
// date, and the page is loaded again once it is ready.

const EVERY = 3000;

const making = () => [...document.querySelectorAll('[data-state="creating"]')];

async function look() {
  const response = await fetch("/api/v1/projects").catch(() => null);
  if (!response?.ok) return;
  const { projects } = await response.json();
  for (const item of making()) {
    const project = projects.find(({ name }) => name === item.dataset.project);
    if (project?.state !== "creating") location.reload();
    else item.querySelector(".step").textContent = project.progress ?? "";
  }
}

if (making().length) setInterval(() => document.hidden || look(), EVERY);
