// Creates the project, and shows its progress until it is ready.

import { apiAddress, projectAddress } from "../shared/addresses.js";
import { byId, element } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { getJson, remove, sendForm } from "./form_request.js";

const PROJECTS = apiAddress("projects");
const LOOK_MILLISECONDS = 1000;

const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));

function say(...children) {
  byId("creation").replaceChildren(...children);
}

export function complain(sentences) {
  const lines = sentences.map((text) => element("p", { class: "notice error" }, element("span", { dir: "auto" }, text)));
  byId("problem").replaceChildren(...lines);
}

async function progressOf(name) {
  const { projects } = await getJson(PROJECTS);
  return projects.find((project) => project.name === name) ?? null;
}

function showStep(step) {
  const text = t("create.creating", { step });
  if (byId("creation").textContent !== text) say(element("p", { class: "step" }, text));
}

function showReady(name) {
  const open = element("a", { class: "button main", href: projectAddress(name) }, t("create.open_project"));
  say(element("p", {}, element("strong", {}, t("create.ready"))), open);
  open.focus();
}

function showFailure(name, error) {
  say();
  complain([t("create.failed", { error }), t("create.try_again")]);
  remove(`${PROJECTS}/${encodeURIComponent(name)}/creation`).catch(() => {}); // it is told here
}

// Returns whether the project is ready; a server that does not answer is asked again.
async function follow(name) {
  for (;;) {
    const project = await progressOf(name).catch(() => undefined);
    if (project === null) return false;
    if (project?.state === "ready") return showReady(name), true;
    if (project?.state === "failed") return showFailure(name, project.error), false;
    if (project) showStep(project.progress ?? "");
    await pause();
  }
}

export async function create(fields) {
  const button = byId("create");
  complain([]);
  button.disabled = true;
  say(element("p", {}, t("create.sending")));
  let isReady = false;
  try {
    await sendForm(PROJECTS, fields);
    isReady = await follow(fields.name);
  } catch (error) {
    say();
    complain([error.message]);
  }
  button.disabled = isReady;
}
