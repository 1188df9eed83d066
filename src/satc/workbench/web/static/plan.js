// How much work is left until a target is reached, and the course that is expected.

import { byId, show } from "./dom.js";
import { count } from "./format.js";

const EVERY = 30000;
const UNIT = { hour: 1, minute: 60 };

function time(hours) {
  if (hours === null) return "";
  const [unit, size] = hours < 1.5 ? ["minute", hours * UNIT.minute] : ["hour", hours];
  const number = unit === "hour" ? size.toFixed(1) : Math.max(1, Math.round(size));
  return `, ${number} ${unit}${number === 1 ? "" : "s"} at the pace so far`;
}

export function sentence(plan) {
  if (plan.documents === 0) return "This is reached already.";
  const money = plan.cost === null ? "" : `, at a cost of ${count(Math.round(plan.cost))}`;
  return `About ${count(plan.documents)} more documents${time(plan.hours)}${money}.`;
}

export class Plan {
  constructor(api, changed) {
    this.api = api;
    this.changed = changed;
    this.ahead = [];
    byId("plan-target").addEventListener("change", () => this.refresh());
    setInterval(() => document.hidden || this.refresh(), EVERY);
  }

  get target() {
    const percent = Number(byId("plan-target").value);
    return Math.min(1, Math.max(0.01, (percent || 95) / 100));
  }

  async refresh() {
    const plan = await this.api.get(`plan?target=${this.target}`).catch(() => null);
    show(byId("plan"), plan !== null);
    if (plan === null) return;
    byId("plan-text").textContent = sentence(plan);
    this.ahead = plan.curve;
    this.changed();
  }
}
