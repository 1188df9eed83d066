// The progress of the project: the line at the top, and the panel that it opens,
// with the estimated accuracy, its curve, the plan and further facts.

import { byId, setVisible } from "../shared/dom.js";
import { interval, measureName } from "../shared/format.js";
import { t } from "../shared/messages.js";
import { announce, noticeLine } from "../shared/notices.js";
import { drawCurve } from "./curve.js";
import { Plan } from "./plan.js";
import { showStatusLine } from "./status_line.js";

const REFRESH_MILLISECONDS = 15000;
const REFRESH_AFTER_CHANGE = [400, 1800]; // first for the count, then for the estimate, which is slower
const LEAST_CHANGE = 0.01; // of the accuracy that is announced
const LONGEST_IN_SECONDS = 100;

// What a measure is, in one sentence; measures other than F1 have only that on averages.
const meaning = (average, { measure, isSingle }) => {
  if (isSingle && average === "micro" && measure === "f1") return t("workbench.about_accuracy");
  return t(`workbench.about_${average}${measure === "f1" ? "_f1" : ""}`);
};

function timePerDocument(seconds) {
  if (seconds == null) return "";
  return seconds < LONGEST_IN_SECONDS
    ? t("workbench.seconds_per_document", { n: Math.round(seconds) })
    : t("workbench.minutes_per_document", { minutes: seconds / 60 });
}

export class Progress {
  // `answered()` is called when the server has answered.
  constructor(api, isSingle, answered = () => {}) {
    Object.assign(this, { api, isSingle, answered });
    this.announced = null;
    this.timers = [];
    this.dismissed = new Set();
    this.plan = new Plan(api, () => this.status && this.draw(this.status));
    byId("status").addEventListener("toggle", () => byId("status").open && this.planned && this.plan.refresh());
    setInterval(() => document.hidden || this.refresh(), REFRESH_MILLISECONDS);
  }

  // Several changes in quick succession cause one refresh.
  refreshSoon() {
    this.timers.forEach(clearTimeout);
    this.timers = REFRESH_AFTER_CHANGE.map((wait) => setTimeout(() => this.refresh(), wait));
  }

  async refresh() {
    const status = await this.api.get("status").catch(() => null);
    if (!status) return;
    this.answered();
    this.draw(status);
  }

  draw(status) {
    this.status = status;
    this.plan.suggest(status.target);
    byId("progress-bar").max = Math.max(1, status.n_documents);
    byId("progress-bar").value = status.n_validated;
    showStatusLine(status, this.left(status), this.isSingle);
    byId("progress-facts").textContent = this.facts(status).filter(Boolean).join(" \u00b7 ");
    setVisible(byId("try-again"), status.n_validated < status.n_documents);
    this.drawAccuracy(status);
    this.drawNews(status);
  }

  // The server counts the documents to the target of the project. If it does not know them yet,
  // the plan may: it counts to the target that the reader has entered.
  left({ documents_left: documents, target }) {
    return documents === null ? { documents: this.plan.documents, target: this.plan.target } : { documents, target };
  }

  facts({ mine, seconds_per_document: seconds, n_corrected, n_flagged, audit }) {
    return [
      t("workbench.by_you", { n: mine }),
      timePerDocument(seconds),
      t("workbench.corrected", { n: n_corrected }),
      t("workbench.flagged", { n: n_flagged }),
      audit ? t("workbench.audit", { n: audit.n_decided, total: audit.n_drawn }) : "",
    ];
  }

  drawAccuracy({ accuracy, accuracy_unknown: unknown, standing, curve, n_documents: most }) {
    byId("standing").textContent = standing ?? "";
    setVisible(byId("standing"), Boolean(standing));
    byId("accuracy-unknown").textContent = unknown ?? t("workbench.accuracy_unknown");
    setVisible(byId("accuracy-unknown"), !accuracy);
    setVisible(byId("accuracy"), Boolean(accuracy));
    if (!accuracy) return;
    if (!this.planned) this.plan.refresh();
    this.planned = true;
    const shown = { ...accuracy, isSingle: this.isSingle };
    for (const average of ["macro", "micro"]) this.drawMeasure(average, shown);
    drawCurve(byId("curve"), curve, shown, this.plan.expectedCurve, most);
    this.announceAccuracy(accuracy);
  }

  drawMeasure(average, accuracy) {
    byId(`${average}-name`).textContent = measureName(average, accuracy.measure, this.isSingle);
    byId(`${average}-value`).textContent = interval(accuracy[average]);
    byId(`${average}-meaning`).textContent = meaning(average, accuracy);
  }

  // Screen readers hear about the accuracy when it has changed, not after every document.
  announceAccuracy(accuracy) {
    const { value } = accuracy[accuracy.average] ?? accuracy.macro;
    if (this.announced !== null && Math.abs(value - this.announced) < LEAST_CHANGE) return;
    if (this.announced !== null) {
      const name = measureName(accuracy.average, accuracy.measure, this.isSingle);
      announce(t("workbench.accuracy_now", { name, interval: interval(accuracy[accuracy.average]) }));
    }
    this.announced = value;
  }

  // The headline stands in the panel. Good news are a notice as well, and so are warnings for
  // managers, who can act on them. `messages` are technical problems.
  drawNews({ headline: { level, kind, text }, messages }) {
    byId("headline").textContent = text;
    byId("headline").dataset.level = level;
    const problems = messages.map((message) => ({ kind: message, text: message }));
    const isNotice = level === "good" || (level === "warning" && document.body.dataset.role === "manager");
    this.drawMessages(isNotice ? [{ kind, text }, ...problems] : problems);
  }

  // What was dismissed does not come back with other numbers.
  drawMessages(messages) {
    const wanted = messages.filter(({ kind }) => !this.dismissed.has(kind));
    const key = wanted.map(({ text }) => text).join("\n");
    if (key === this.shownMessages) return;
    this.shownMessages = key;
    byId("messages").replaceChildren(...wanted.map((message) => this.messageLine(message)));
  }

  messageLine({ kind, text }) {
    const line = noticeLine(text, "info", () => {
      this.dismissed.add(kind);
      line.remove();
    });
    return line;
  }
}
