// The plan: how much work is left until a target accuracy, and the expected curve.

import { byId, setVisible } from "./dom.js";
import { count, percent, plural } from "./format.js";

const REFRESH_MILLISECONDS = 30000;

function duration(hours) {
  if (hours === null) return "";
  const time = hours < 1.5 ? plural(Math.max(1, Math.round(60 * hours)), "minute") : `${hours.toFixed(1)} hours`;
  return `, about ${time} at the present pace`;
}

// Without a price there is no cost.
function cost(value) {
  if (!value) return "";
  return `, at a cost of about ${value < 10 ? value.toFixed(2) : count(Math.round(value))}`;
}

export function planSentence(plan) {
  const surely = `with ${percent(plan.probability)} probability`;
  if (plan.documents === 0) return `The target is reached already, ${surely}.`;
  return `${plural(plan.documents, "more document")} to reach it ${surely}${duration(plan.hours)}${cost(plan.cost)}.`;
}

export class Plan {
  // `changed()` is called when a new expected curve has arrived.
  constructor(api, changed) {
    this.api = api;
    this.changed = changed;
    this.expectedCurve = [];
    byId("plan-target").addEventListener("change", () => this.refresh());
    setInterval(() => document.hidden || this.refresh(), REFRESH_MILLISECONDS);
  }

  get target() {
    const percentage = Number(byId("plan-target").value);
    return Math.min(1, Math.max(0.01, (percentage || 95) / 100));
  }

  async refresh() {
    const plan = await this.api.get(`plan?target=${this.target}`).catch(() => null);
    setVisible(byId("plan"), plan !== null);
    if (plan === null) return;
    byId("plan-text").textContent = planSentence(plan);
    this.expectedCurve = plan.curve;
    this.changed();
  }
}
