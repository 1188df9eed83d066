// The plan: how much work is left until a target accuracy, and the expected curve.

import { byId, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const REFRESH_MILLISECONDS = 30000;

function duration(hours) {
  if (hours === null) return null;
  return hours < 1.5
    ? t("workbench.minutes", { n: Math.max(1, Math.round(60 * hours)) })
    : t("workbench.hours", { hours });
}

// Without a price there is no cost.
function price(value) {
  return value ? t("workbench.plan_cost", { cost: value < 10 ? value.toFixed(2) : Math.round(value) }) : "";
}

export function planSentence({ documents: n, probability, hours, cost }) {
  const time = duration(hours);
  if (n === 0) return t("workbench.plan_reached", { probability });
  const plan = t(time ? "workbench.plan_documents_and_time" : "workbench.plan_documents", { n, probability, time });
  return [plan, price(cost)].filter(Boolean).join(" ");
}

export class Plan {
  // `changed()` is called when a new plan has arrived.
  constructor(api, changed) {
    this.api = api;
    this.changed = changed;
    this.expectedCurve = [];
    this.documents = null;
    this.isChosen = false;
    this.isAsked = false; // there is no plan before there is an estimate
    byId("plan-target").addEventListener("change", () => {
      this.isChosen = true;
      this.refresh();
    });
    setInterval(() => this.isAsked && !document.hidden && this.refresh(), REFRESH_MILLISECONDS);
  }

  // The target of the project counts until the reader enters another one.
  suggest(target) {
    if (!this.isChosen) byId("plan-target").value = Math.round(100 * target);
  }

  get target() {
    const percentage = Number(byId("plan-target").value);
    return Math.min(1, Math.max(0.01, (percentage || 95) / 100));
  }

  async refresh() {
    this.isAsked = true;
    const plan = await this.api.get(`plan?target=${this.target}`).catch(() => null);
    setVisible(byId("plan"), plan !== null);
    if (plan === null) return;
    byId("plan-text").textContent = planSentence(plan);
    this.expectedCurve = plan.curve;
    this.documents = plan.documents;
    this.changed();
  }
}
