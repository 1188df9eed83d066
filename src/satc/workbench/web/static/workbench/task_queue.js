// The tasks of this page: the current one, the next ones (fetched ahead), and,
// while an earlier decision is edited, the one that was interrupted for it.

import { t } from "../shared/messages.js";
import { forgetLabels } from "./drafts.js";
import { chosenLabels, taskFromAssignment, taskFromDecision } from "./task.js";

export class TaskQueue {
  // `present(task, reason)` shows a task, or the reason why there is none.
  // `fetched(task)` is called for each task that arrives, `changed()` after each change,
  // `succeeded(since)` after an action of the person that began at a time and was saved.
  // `marksChanged(task)` is called when a flag or a note was taken back.
  constructor(api, outbox, { present, fetched, changed, succeeded, marksChanged, showError, showInfo }) {
    Object.assign(this, { api, outbox, present, fetched, changed, succeeded, marksChanged, showError, showInfo });
    this.current = null;
    this.interrupted = null;
    this.ahead = [];
    this.reason = null;
    this.fetching = null;
    this.lastPosition = 0;
    this.decided = () => {}; // called with the document of a decision that was saved
  }

  // After a reload the documents that are still leased come first, the last shown one at the top.
  // `wanted` is the number of a document that the person wants to see first.
  async open(wanted = null) {
    const { assignments } = await this.api.get("assignments");
    const last = sessionStorage.getItem(this.api.base);
    const open = assignments.map(taskFromAssignment);
    const isFirst = (task) => (wanted === null ? task.lease === last : task.document.index === wanted);
    this.ahead = [...open.filter(isFirst), ...open.filter((task) => !isFirst(task))];
    if (wanted === null || open.some(isFirst)) await this.advance();
    else await this.openWanted(wanted);
  }

  // A decided document is opened for revision, an undecided one is leased.
  async openWanted(index) {
    try {
      const state = await this.api.get(`documents/${index}`);
      if (state.source === "human") return await this.openDecided(state);
      const assignment = await this.api.send("POST", `documents/${index}/lease`);
      this.ahead.unshift(taskFromAssignment(assignment));
    } catch (error) {
      this.showError(error.message);
    }
    return this.advance();
  }

  // The next task is fetched while the decision is edited.
  async openDecided(state) {
    this.setCurrent(taskFromDecision(state));
    await this.advance();
  }

  get leased() {
    return [this.current, this.interrupted, ...this.ahead].filter((task) => task?.lease);
  }

  setCurrent(task) {
    if (this.current?.editing && !task?.editing) {
      this.interrupted = task;
      return;
    }
    this.current?.stopwatch.stop();
    this.current = task;
    if (task?.lease) this.remember(task);
    if (!document.hidden) task?.stopwatch.start();
    this.present(task, this.reason);
  }

  // A task that was fetched ahead got its position before the last decision was made.
  remember(task) {
    task.position = Math.max(task.position, this.lastPosition + 1);
    sessionStorage.setItem(this.api.base, task.lease);
  }

  async advance() {
    this.reason = null;
    if (!this.ahead.length) {
      this.setCurrent(null);
      await this.fetching; // this request was sent before the decision: its answer may be outdated
      this.reason = null;
      await this.fill();
      if (this.waiting) return; // meanwhile `fetchAgain` has shown a document
    }
    this.setCurrent(this.ahead.shift() ?? null);
    if (this.current ?? this.interrupted) this.fill();
  }

  // The task that is to be decided: on the screen, or interrupted by an earlier decision.
  get waiting() {
    return this.current?.editing ? this.interrupted : this.current;
  }

  // Keeps one task ahead of the current one.
  fill() {
    if (this.ahead.length) return null;
    this.fetching ??= this.fetch().finally(() => (this.fetching = null));
    return this.fetching;
  }

  async fetch() {
    try {
      const answer = await this.outbox.send("POST", "next", undefined, { keep: false });
      this.reason = answer.again ? null : answer.reason;
      if (answer.assignment) this.add(taskFromAssignment(answer.assignment));
      if (answer.again) setTimeout(() => this.fetchAgain(), 1000 * answer.again);
    } catch (error) {
      this.reason = error.message;
    }
  }

  // The server is fetching more documents and asked us to come back.
  async fetchAgain() {
    await this.fill();
    if (this.waiting) return;
    if (this.ahead.length) this.advance();
    else if (this.reason) this.setCurrent(null);
  }

  add(task) {
    if (this.leased.some((other) => other.lease === task.lease)) return;
    this.ahead.push(task);
    this.fetched(task);
  }

  // The decision is sent in the background while the next document is shown.
  accept() {
    const task = this.current;
    if (!task) return;
    if (task.editing) return this.save(task);
    const body = { labels: chosenLabels(task), seconds: task.stopwatch.seconds };
    this.send("POST", `leases/${task.lease}/decision`, body).then((saved) => saved && this.decided(task.document.index));
    forgetLabels(task);
    if (!task.second) this.lastPosition = task.position; // a second reading checks no further document
    this.advance();
  }

  skip() {
    if (!this.current || this.current.editing) return;
    this.send("POST", `leases/${this.current.lease}/skip`);
    forgetLabels(this.current);
    this.advance();
  }

  // Takes back the last thing that the person did; several times, one after the other.
  async undo() {
    if (this.current?.editing) return;
    const answer = await this.send("POST", "undo", undefined, { keep: false, once: true });
    if (!answer) return;
    this.showInfo(answer.message);
    if (answer.assignment) this.reopen(taskFromAssignment(answer.assignment));
    else this.takeMarks(answer);
  }

  reopen(task) {
    const before = this.waiting;
    this.ahead = this.ahead.filter((other) => other.lease !== task.lease);
    if (before && before.lease !== task.lease) this.ahead.unshift(before);
    this.lastPosition = task.position - 1;
    this.setCurrent(task);
  }

  // A flag or a note was taken back: the document may be open here.
  takeMarks({ document: index, flagged, note }) {
    const tasks = [this.current, this.interrupted, ...this.ahead].filter((task) => task?.document.index === index);
    for (const task of tasks) {
      Object.assign(task, { flagged, note });
      if (task === this.current) this.marksChanged(task);
    }
  }

  async edit(index) {
    try {
      const task = taskFromDecision(await this.api.get(`documents/${index}`));
      if (!this.current?.editing) this.interrupted = this.current;
      this.setCurrent(task);
    } catch (error) {
      this.showError(error.message);
    }
  }

  save(task) {
    this.send("PUT", `documents/${task.document.index}/decision`, { labels: chosenLabels(task) });
    this.stopEditing();
  }

  stopEditing() {
    if (!this.current?.editing) return;
    this.current = null;
    this.setCurrent(this.interrupted);
    this.interrupted = null;
  }

  // For a task whose lease was lost to somebody else.
  drop(task) {
    forgetLabels(task);
    this.ahead = this.ahead.filter((other) => other !== task);
    if (this.current === task || this.interrupted === task) this.advance();
  }

  async send(method, path, body, options) {
    const since = performance.now();
    try {
      const answer = await this.outbox.send(method, path, body, options);
      this.succeeded(since);
      this.changed();
      return answer;
    } catch (error) {
      const unsure = options?.once && error.status === 0;
      this.showError(unsure ? `${error.message} ${t("workbench.maybe_done")}` : error.message);
      this.changed();
      return null;
    }
  }
}
