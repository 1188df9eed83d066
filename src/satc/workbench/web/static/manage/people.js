// The page of people: invite them by a link, change roles and projects, remove them.

import { apiAddress } from "../shared/addresses.js";
import { byId, element, setVisible } from "../shared/dom.js";
import { date } from "../shared/format.js";
import { t } from "../shared/messages.js";
import { announce, showError } from "../shared/notices.js";
import { api, attempt, change, clearNotices } from "./requests.js";
import { askRights, chosenProjects, projectsText, setProjects } from "./rights.js";
import { table } from "./tables.js";

const PEOPLE = apiAddress("people");
const LOCAL = ["127.0.0.1", "localhost", "[::1]"];
const { user: me, passwords } = document.body.dataset;

const pathOf = (name) => `${PEOPLE}/${encodeURIComponent(name)}`;

function button(text, name, onclick) {
  return element("button", { type: "button", onclick }, text, element("span", { class: "unseen" }, ` ${name}`));
}

function showLink({ name, path, expires }) {
  byId("link-text").textContent = t("manage.link_ready", { name, expires });
  byId("link-value").value = new URL(path, location.origin).href;
  setVisible(byId("link-is-local"), LOCAL.includes(location.hostname));
  setVisible(byId("link"), true);
  byId("link-value").focus();
  byId("link-value").select();
}

async function makeLink(path, body) {
  const answer = await attempt(() => change("POST", path, body));
  if (answer) showLink(answer);
  if (answer) await refresh();
  return answer;
}

async function changeAndRefresh(action, said, heading) {
  if (!(await attempt(action, said))) return;
  byId(heading).focus();
  await refresh();
}

const setRole = (name, role) =>
  changeAndRefresh(() => change("PATCH", pathOf(name), { role }), t("manage.role_changed", { name }), "users-heading");

const setRights = (name, projects) =>
  changeAndRefresh(
    () => change("PUT", `${pathOf(name)}/projects`, { projects }),
    t("manage.projects_changed", { name }),
    "users-heading",
  );

function remove(name) {
  if (!confirm(t("manage.remove_question", { name }))) return;
  changeAndRefresh(() => change("DELETE", pathOf(name)), t("manage.removed", { name }), "users-heading");
}

const withdraw = (name) =>
  changeAndRefresh(
    () => change("DELETE", `${PEOPLE}/invitations/${encodeURIComponent(name)}`),
    t("manage.withdrawn", { name }),
    "users-heading",
  );

function userActions(user) {
  const { name, role } = user;
  if (name === me) return element("span", { class: "muted" }, t("manage.this_is_you"));
  const other = role === "manager" ? "annotator" : "manager";
  return element(
    "div",
    { class: "row-actions" },
    role === "manager" ? null : button(t("manage.choose_projects"), name, () => askRights(user, (roles) => setRights(name, roles))),
    button(t(`manage.make_${other}`), name, () => setRole(name, other)),
    passwords ? button(t("manage.new_password"), name, () => makeLink(`${pathOf(name)}/invitation`)) : null,
    button(t("manage.remove"), name, () => remove(name)),
  );
}

function showUsers(users) {
  const headings = ["name", "role", "projects", "since", "actions"].map((name) => t(`manage.people_${name}`));
  const rows = users.map((user) => [
    user.name,
    t(`manage.role_${user.role}`),
    element("span", { class: "of-projects", dir: "auto" }, projectsText(user)),
    date(user.since),
    userActions(user),
  ]);
  byId("users").replaceChildren(table(t("manage.users"), headings, rows, "stacked"));
}

function showInvitations(invitations) {
  setVisible(byId("invited"), invitations.length > 0);
  const headings = ["name", "role", "invited_by", "until", "actions"].map((name) => t(`manage.people_${name}`));
  const rows = invitations.map((one) => [
    one.name,
    t(`manage.role_${one.role}`),
    one.invited_by,
    one.has_expired ? t("manage.has_expired") : date(one.expires),
    button(t("manage.withdraw"), one.name, () => withdraw(one.name)),
  ]);
  byId("invitations").replaceChildren(table(t("manage.open_invitations"), headings, rows, "stacked"));
}

async function refresh() {
  try {
    const { users, invitations, projects } = await api.request("GET", PEOPLE);
    setProjects(projects);
    showUsers(users);
    showInvitations(invitations);
  } catch (error) {
    showError(error.message);
  }
}

async function invite(event) {
  event.preventDefault();
  const [name, role] = ["name", "role"].map((id) => byId(id).value.trim());
  if (!name) {
    clearNotices();
    showError(t("manage.name_missing"));
    byId("name").focus();
    return;
  }
  const projects = chosenProjects();
  if (await makeLink(`${PEOPLE}/invitations`, { name, role, projects })) byId("name").value = "";
}

async function copyLink() {
  byId("link-value").select();
  const copied = await navigator.clipboard?.writeText(byId("link-value").value).then(
    () => true,
    () => false,
  );
  byId("copy-link").textContent = copied ? t("manage.copied") : t("manage.copy_by_hand");
  announce(byId("copy-link").textContent);
}

async function addFirstManager(event) {
  event.preventDefault();
  const [name, password] = ["name", "password"].map((id) => byId(id).value);
  if (!(await attempt(() => change("POST", PEOPLE, { name: name.trim(), password })))) return;
  setVisible(byId("first-manager"), false);
  setVisible(byId("first-manager-done"), true);
  announce(byId("first-manager-done").textContent.trim());
}

byId("first-manager")?.addEventListener("submit", addFirstManager);
byId("invite")?.addEventListener("submit", invite);
byId("copy-link")?.addEventListener("click", copyLink);
if (byId("users")) refresh();
