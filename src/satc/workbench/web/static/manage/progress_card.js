// The card of progress: documents checked, the accuracy now, and the work left.

import { byId, element } from "../shared/dom.js";
import { count, percent } from "../shared/format.js";
import { t } from "../shared/messages.js";
import { api } from "./requests.js";
import { paragraph } from "./tables.js";

const FEWEST_HOURS = 1.5; // less is said in minutes
const measure = document.body.dataset.measure;

// The headline says why there is no estimate, and sometimes the estimate itself.
function accuracyLine({ accuracy, headline }) {
  if (!accuracy) return null;
  const { value, low, high } = accuracy[accuracy.average];
  if (headline.text.includes(percent(value))) return null;
  return paragraph(t("manage.accuracy_now", { measure, value, low, high }));
}

// The headline says how many documents are left; the plan adds the time and the cost.
function planText({ documents, hours, cost, target }) {
  if (!documents || hours == null) return null;
  const values = { target, hours, n: Math.max(1, Math.round(60 * hours)), cost: count(Math.round(cost ?? 0)) };
  if (hours < FEWEST_HOURS) return t(cost == null ? "manage.plan_minutes" : "manage.plan_minutes_cost", values);
  return t(cost == null ? "manage.plan_hours" : "manage.plan_cost", values);
}

// A forecast takes a second or two, so it comes after the rest.
async function planLine() {
  try {
    const text = planText(await api.get("plan"));
    return text && paragraph(text, "plan muted");
  } catch (error) {
    return error.status === 409 ? null : paragraph(error.message, "plan muted");
  }
}

function facts(status) {
  const line = element("ul", { class: "facts" });
  for (const name of ["corrected", "flagged", "open"]) {
    line.append(element("li", {}, t(`manage.fact_${name}`, { n: status[`n_${name}`] })));
  }
  return line;
}

export async function showProgress(status) {
  const card = byId("progress");
  const { n_validated: n, n_documents: total } = status;
  const nodes = [
    element("progress", { max: Math.max(1, total), value: n, "aria-label": t("manage.checked_label") }),
    paragraph(t("manage.checked", { n, total }), "large"),
    facts(status),
    paragraph(status.headline.text, `headline ${status.headline.level}`),
    accuracyLine(status),
  ].filter(Boolean);
  card.replaceChildren(...nodes, ...card.querySelectorAll(".plan"));
  if (!status.accuracy) return;
  const plan = await planLine();
  for (const old of card.querySelectorAll(".plan")) old.remove();
  if (plan) card.append(plan);
}
