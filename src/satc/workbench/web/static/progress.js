// How far the project is, and how good its labels are at this moment.

import { drawCurve } from "./curve.js";
import { byId, element, show } from "./dom.js";
import { count, interval, measureName, pace } from "./format.js";
import { Plan } from "./plan.js";

const EVERY = 15000;
const SOON = [400, 1800]; // the count at once; the estimate, which takes its time, a little later
const WORTH_SAYING = 0.01;

export class Progress {
  constructor(api) {
    this.api = api;
    this.said = null;
    this.timers = [];
    this.dismissed = new Set();
    this.plan = new Plan(api, () => this.refresh());
    setInterval(() => document.hidden || this.refresh(), EVERY);
  }

  // Several decisions in quick succession ask once.
  soon() {
    this.timers.forEach(clearTimeout);
    this.timers = SOON.map((wait) => setTimeout(() => this.refresh(), wait));
  }

  async refresh() {
    const status = await this.api.get("status").catch(() => null);
    if (status) this.draw(status);
  }

  draw(status) {
    byId("progress-bar").max = Math.max(1, status.n_documents);
    byId("progress-bar").value = status.n_validated;
    const far = `${count(status.n_validated)} of ${count(status.n_documents)} validated`;
    byId("progress-short").textContent = far;
    byId("progress-text").textContent = far;
    const facts = [
      `${count(status.mine)} by you`,
      pace(status.seconds_per_document),
      `${count(status.n_corrected)} corrected`,
      `${count(status.n_flagged)} flagged`,
    ];
    byId("progress-facts").textContent = facts.filter(Boolean).join(" \u00b7 ");
    this.drawAccuracy(status);
    this.drawMessages(status.messages);
  }

  drawAccuracy({ accuracy, curve }) {
    show(byId("accuracy-unknown"), !accuracy);
    show(byId("accuracy"), Boolean(accuracy));
    if (!accuracy) return;
    if (!this.planned) this.plan.refresh();
    this.planned = true;
    for (const average of ["macro", "micro"]) {
      byId(`${average}-name`).textContent = measureName(average, accuracy.measure);
      byId(`${average}-value`).textContent = interval(accuracy[average]);
    }
    drawCurve(byId("curve"), curve, accuracy, this.plan.ahead);
    this.say(accuracy);
  }

  // A screen reader hears of the accuracy when it has moved, not at every document.
  say(accuracy) {
    const { value } = accuracy[accuracy.average] ?? accuracy.macro;
    if (this.said !== null && Math.abs(value - this.said) < WORTH_SAYING) return;
    if (this.said !== null) {
      const name = measureName(accuracy.average, accuracy.measure);
      byId("announcement").textContent = `Estimated ${name} is now ${interval(accuracy[accuracy.average])}.`;
    }
    this.said = value;
  }

  drawMessages(messages) {
    const fresh = messages.filter((message) => !this.dismissed.has(message));
    const key = fresh.join("\n");
    if (key === this.shown) return;
    this.shown = key;
    byId("messages").replaceChildren(...fresh.map((message) => this.message(message)));
  }

  message(text) {
    const close = () => {
      this.dismissed.add(text);
      line.remove();
    };
    const button = element("button", { type: "button", onclick: close }, "Dismiss");
    const line = element("p", { class: "notice news" }, element("span", {}, text), button);
    return line;
  }
}
