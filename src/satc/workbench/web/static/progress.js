// The progress of the project, and the estimated accuracy of its labels.

import { drawCurve } from "./curve.js";
import { byId, setVisible } from "./dom.js";
import { count, interval, measureName, timePerDocument } from "./format.js";
import { announce, noticeLine } from "./notices.js";
import { Plan } from "./plan.js";

const REFRESH_MILLISECONDS = 15000;
const REFRESH_AFTER_CHANGE = [400, 1800]; // first for the count, then for the estimate, which is slower
const LEAST_CHANGE = 0.01; // of the accuracy that is announced

export class Progress {
  constructor(api, isSingle) {
    Object.assign(this, { api, isSingle });
    this.announced = null;
    this.timers = [];
    this.dismissed = new Set();
    this.plan = new Plan(api, () => this.refresh());
    setInterval(() => document.hidden || this.refresh(), REFRESH_MILLISECONDS);
  }

  // Several changes in quick succession cause one refresh.
  refreshSoon() {
    this.timers.forEach(clearTimeout);
    this.timers = REFRESH_AFTER_CHANGE.map((wait) => setTimeout(() => this.refresh(), wait));
  }

  async refresh() {
    const status = await this.api.get("status").catch(() => null);
    if (status) this.draw(status);
  }

  draw(status) {
    byId("progress-bar").max = Math.max(1, status.n_documents);
    byId("progress-bar").value = status.n_validated;
    const checked = `${count(status.n_validated)} of ${count(status.n_documents)}`;
    byId("progress-short").textContent = `${checked} checked`;
    byId("progress-text").textContent = `${checked} documents checked`;
    const facts = [
      `${count(status.mine)} by you`,
      timePerDocument(status.seconds_per_document),
      `${count(status.n_corrected)} corrected`,
      `${count(status.n_flagged)} flagged`,
    ];
    byId("progress-facts").textContent = facts.filter(Boolean).join(" \u00b7 ");
    setVisible(byId("try-again"), status.n_validated < status.n_documents);
    this.drawAccuracy(status);
    this.drawMessages(status.messages);
  }

  drawAccuracy({ accuracy, accuracy_unknown, standing, curve }) {
    byId("standing").textContent = standing ?? "";
    setVisible(byId("standing"), Boolean(standing));
    byId("accuracy-unknown").textContent = accuracy_unknown ?? "There is no estimate of accuracy yet.";
    setVisible(byId("accuracy-unknown"), !accuracy);
    setVisible(byId("accuracy"), Boolean(accuracy));
    if (!accuracy) return;
    if (!this.planned) this.plan.refresh();
    this.planned = true;
    for (const average of ["macro", "micro"]) {
      byId(`${average}-name`).textContent = measureName(average, accuracy.measure, this.isSingle);
      byId(`${average}-value`).textContent = interval(accuracy[average]);
    }
    drawCurve(byId("curve"), curve, { ...accuracy, isSingle: this.isSingle }, this.plan.expectedCurve);
    this.announceAccuracy(accuracy);
  }

  // Screen readers hear about the accuracy when it has changed, not after every document.
  announceAccuracy(accuracy) {
    const { value } = accuracy[accuracy.average] ?? accuracy.macro;
    if (this.announced !== null && Math.abs(value - this.announced) < LEAST_CHANGE) return;
    if (this.announced !== null) {
      const name = measureName(accuracy.average, accuracy.measure, this.isSingle);
      announce(`The estimated ${name} is now ${interval(accuracy[accuracy.average])}.`);
    }
    this.announced = value;
  }

  drawMessages(messages) {
    const wanted = messages.filter((message) => !this.dismissed.has(message));
    const key = wanted.join("\n");
    if (key === this.shownMessages) return;
    this.shownMessages = key;
    byId("messages").replaceChildren(...wanted.map((message) => this.messageLine(message)));
  }

  messageLine(text) {
    const line = noticeLine(text, "info", () => {
      this.dismissed.add(text);
      line.remove();
    });
    return line;
  }
}
