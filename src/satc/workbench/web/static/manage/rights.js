// Which projects people may open: the choice for an invitation, and a dialog for each user.

import { byId, element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const ROLES = ["annotator", "manager"];
const dialog = byId("rights");
let projects = [];

// The titles of the projects that a user may open, for the table.
export function projectsText({ role, projects: roles }) {
  if (role === "manager") return t("manage.all_projects");
  const titles = projects
    .filter(({ name }) => Object.hasOwn(roles, name))
    .map(({ name, title }) => (roles[name] === "manager" ? t("manage.title_as_manager", { title }) : title));
  return titles.length ? titles.join(", ") : t("manage.no_projects");
}

function checkbox({ name, title }) {
  return element(
    "label",
    { class: "project-choice", dir: "auto" },
    element("input", { type: "checkbox", value: name }),
    ` ${title}`,
  );
}

// Learns the projects of the server; a choice is needed only where there are several.
export function setProjects(found) {
  const isNew = found.map(({ name }) => name).join("\n") !== projects.map(({ name }) => name).join("\n");
  projects = found;
  if (!byId("invite-projects") || !isNew) return;
  setVisible(byId("invite-projects"), projects.length > 1);
  byId("invite-choices").replaceChildren(...projects.map(checkbox));
}

// The projects that are ticked for an invitation; null where there is no choice.
export function chosenProjects() {
  if (projects.length < 2) return null;
  return [...byId("invite-choices").querySelectorAll("input:checked")].map((box) => box.value);
}

function roleChoice({ name, title }, i, roles) {
  const options = ["", ...ROLES].map((role) =>
    element("option", { value: role, selected: role === (roles[name] ?? "") }, t(role ? `manage.role_${role}` : "manage.no_access")),
  );
  return element(
    "div",
    { class: "setting" },
    element("label", { for: `right-${i}`, dir: "auto" }, title),
    element("select", { id: `right-${i}`, "data-project": name }, ...options),
  );
}

// Asks for the roles of a user, then calls `save` with them.
export function askRights({ name, projects: roles }, save) {
  byId("rights-heading").textContent = t("manage.projects_of", { name });
  byId("rights-list").replaceChildren(...projects.map((one, i) => roleChoice(one, i, roles)));
  dialog.onclose = () => {
    if (dialog.returnValue !== "save") return;
    const chosen = [...byId("rights-list").querySelectorAll("select")].filter((one) => one.value);
    save(Object.fromEntries(chosen.map((one) => [one.dataset.project, one.value])));
  };
  dialog.returnValue = "";
  dialog.showModal();
}
