// The tasks of this page: the current one, the next ones (fetched ahead), and,
// while an earlier decision is edited, the one that was interrupted for it.

import { chosenLabels, taskFromAssignment, taskFromDecision } from "./task.js";

export class TaskQueue {
  // `present(task, reason)` shows a task, or the reason why there is none.
  // `fetched(task)` is called for each task that arrives, `changed()` after each change.
  constructor(api, outbox, { present, fetched, changed, showError, showInfo }) {
    Object.assign(this, { api, outbox, present, fetched, changed, showError, showInfo });
    this.current = null;
    this.interrupted = null;
    this.ahead = [];
    this.reason = null;
    this.fetching = null;
    this.lastPosition = 0;
  }

  // After a reload the documents that are still leased come first, the last shown one at the top.
  async open() {
    const { assignments } = await this.api.get("assignments");
    const last = sessionStorage.getItem(this.api.base);
    const open = assignments.map(taskFromAssignment);
    this.ahead = [...open.filter((t) => t.lease === last), ...open.filter((t) => t.lease !== last)];
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
    }
    this.setCurrent(this.ahead.shift() ?? null);
    if (this.current ?? this.interrupted) this.fill();
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
    if (!this.current && this.ahead.length) this.advance();
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
    this.send("POST", `leases/${task.lease}/decision`, body);
    this.lastPosition = task.position;
    this.advance();
  }

  skip() {
    if (!this.current || this.current.editing) return;
    this.send("POST", `leases/${this.current.lease}/skip`);
    this.advance();
  }

  async undo() {
    if (this.current?.editing) return;
    const answer = await this.send("POST", "undo", undefined, { keep: false, once: true });
    if (!answer) return;
    if (!answer.assignment) return this.showInfo("Your last change was undone.");
    const before = this.current?.editing ? this.interrupted : this.current;
    if (before) this.ahead.unshift(before);
    this.lastPosition = answer.assignment.position - 1;
    this.setCurrent(taskFromAssignment(answer.assignment));
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
    this.ahead = this.ahead.filter((other) => other !== task);
    if (this.current === task || this.interrupted === task) this.advance();
  }

  async send(method, path, body, options) {
    try {
      const answer = await this.outbox.send(method, path, body, options);
      this.changed();
      return answer;
    } catch (error) {
      const unsure = options?.once && error.status === 0;
      this.showError(`${error.message}${unsure ? " Your last decisions show whether it was done." : ""}`);
      this.changed();
      return null;
    }
  }
}
