// The webhooks of a project: add, test and remove them, and see what was sent.

import { byId, element, setVisible } from "../shared/dom.js";
import { count, datetime } from "../shared/format.js";
import { t } from "../shared/messages.js";
import { announce, showError, showInfo } from "../shared/notices.js";
import { api, attempt, change, clearNotices } from "./requests.js";
import { number, paragraph, table } from "./tables.js";

const WEBHOOKS = `${api.base}/webhooks`;

function button(text, about, onclick) {
  return element("button", { type: "button", onclick }, text, element("span", { class: "unseen" }, ` ${about}`));
}

const kindsOf = (events) => events.map((kind) => t(`webhooks.event_${kind}`)).join(", ");

function showSecret(secret) {
  byId("secret-value").value = secret;
  setVisible(byId("secret"), true);
  byId("secret-value").focus();
  byId("secret-value").select();
}

async function copySecret() {
  byId("secret-value").select();
  const copied = await navigator.clipboard?.writeText(byId("secret-value").value).then(
    () => true,
    () => false,
  );
  byId("copy-secret").textContent = copied ? t("manage.copied") : t("manage.copy_by_hand");
  announce(byId("copy-secret").textContent);
}

async function add(event) {
  event.preventDefault();
  const url = byId("url").value.trim();
  const events = [...document.querySelectorAll("[name=events]:checked")].map((box) => box.value);
  if (!url || !events.length) {
    clearNotices();
    showError(t(url ? "webhooks.no_events" : "webhooks.address_missing"));
    (url ? document.querySelector("[name=events]") : byId("url")).focus();
    return;
  }
  const answer = await attempt(() => change("POST", WEBHOOKS, { url, events }));
  if (!answer) return;
  byId("url").value = "";
  showSecret(answer.secret);
  await refresh();
}

async function remove({ key, url }) {
  if (!confirm(t("webhooks.remove_question", { url }))) return;
  if (!(await attempt(() => change("DELETE", `${WEBHOOKS}/${key}`), t("webhooks.removed")))) return;
  setVisible(byId("sent"), false);
  byId("list-heading").focus();
  await refresh();
}

async function test({ key }) {
  const answer = await attempt(() => change("POST", `${WEBHOOKS}/${key}/test`));
  if (!answer) return;
  if (answer.delivered) showInfo(t("webhooks.test_taken", { status: answer.status }));
  else showError(t("webhooks.test_failed", { reason: outcome(answer) }));
}

const outcome = ({ status, error }) => [status, error].filter((part) => part != null).join(": ");

async function showDeliveries({ key, url }) {
  const answer = await attempt(() => api.request("GET", `${WEBHOOKS}/${key}/deliveries`));
  if (!answer) return;
  const headings = ["when", "event", "state", "attempts", "answer"].map((name) => t(`webhooks.column_${name}`));
  const rows = answer.deliveries.map((one) => [
    datetime(one.created_at),
    t(`webhooks.event_${one.type}`),
    t(`webhooks.state_${one.state.replace(" ", "_")}`),
    number(count(one.attempts)),
    outcome(one),
  ]);
  byId("sent-to").textContent = url;
  byId("deliveries").replaceChildren(
    rows.length ? table(t("webhooks.deliveries"), headings, rows) : paragraph(t("webhooks.nothing_sent"), "muted"),
  );
  setVisible(byId("sent"), true);
  byId("sent-heading").focus();
}

function actions(webhook) {
  return element(
    "div",
    { class: "row-actions" },
    button(t("webhooks.test"), webhook.url, () => test(webhook)),
    button(t("webhooks.show_deliveries"), webhook.url, () => showDeliveries(webhook)),
    button(t("manage.remove"), webhook.url, () => remove(webhook)),
  );
}

function stateOf({ n_waiting: n, failing_since: since }) {
  if (since) return t("webhooks.failing", { since, n });
  return n ? t("webhooks.waiting", { n }) : t("webhooks.working");
}

function show(webhooks) {
  const headings = ["address", "events", "state", "actions"].map((name) => t(`webhooks.column_${name}`));
  const rows = webhooks.map((one) => [
    { text: one.url, kind: "address" },
    kindsOf(one.events),
    stateOf(one),
    actions(one),
  ]);
  byId("webhooks").replaceChildren(
    rows.length ? table(t("webhooks.title"), headings, rows, "stacked texts") : paragraph(t("webhooks.none"), "muted"),
  );
}

async function refresh() {
  try {
    show((await api.request("GET", WEBHOOKS)).webhooks);
  } catch (error) {
    showError(error.message);
  }
}

byId("add").addEventListener("submit", add);
byId("copy-secret").addEventListener("click", copySecret);
refresh();
