// The desk holds the document being read, those fetched ahead, and, while an
// earlier decision is edited, the document that was put aside for it.

import { fromAssignment, fromDecision, labels } from "./sitting.js";

export class Desk {
  // `present(sitting, reason)` shows a document, or why there is none.
  constructor(api, outbox, { present, fetched, changed, complain, tell }) {
    Object.assign(this, { api, outbox, present, fetched, changed, complain, tell });
    this.current = null;
    this.aside = null;
    this.ahead = [];
    this.reason = null;
    this.fetching = null;
    this.done = 0;
  }

  // After a reload: first what was open already, beginning with what was on the desk.
  async open() {
    const { assignments } = await this.api.get("assignments");
    const last = sessionStorage.getItem(this.api.base);
    const open = assignments.map(fromAssignment);
    this.ahead = [...open.filter((s) => s.lease === last), ...open.filter((s) => s.lease !== last)];
    await this.advance();
  }

  get leased() {
    return [this.current, this.aside, ...this.ahead].filter((sitting) => sitting?.lease);
  }

  put(sitting) {
    if (this.current?.editing && !sitting?.editing) {
      this.aside = sitting;
      return;
    }
    this.current?.watch.stop();
    this.current = sitting;
    if (sitting?.lease) this.take(sitting);
    if (!document.hidden) sitting?.watch.start();
    this.present(sitting, this.reason);
  }

  // A document fetched ahead was numbered before the last decision was made.
  take(sitting) {
    sitting.position = Math.max(sitting.position, this.done + 1);
    sessionStorage.setItem(this.api.base, sitting.lease);
  }

  async advance() {
    this.reason = null;
    if (!this.ahead.length) {
      this.put(null);
      await this.fetching; // an answer to what was asked before this decision may be out of date
      this.reason = null;
      await this.fill();
    }
    this.put(this.ahead.shift() ?? null);
    if (this.current ?? this.aside) this.fill();
  }

  // One document more than the one on the desk is always at hand.
  fill() {
    if (this.ahead.length) return null;
    this.fetching ??= this.fetch().finally(() => (this.fetching = null));
    return this.fetching;
  }

  async fetch() {
    try {
      const answer = await this.outbox.put("POST", "next", undefined, { keep: false });
      this.reason = answer.again ? null : answer.reason;
      if (answer.assignment) this.queue(fromAssignment(answer.assignment));
      if (answer.again) setTimeout(() => this.askAgain(), 1000 * answer.again);
    } catch (error) {
      this.reason = error.message;
    }
  }

  // The server is fetching more documents: what it was asked for comes in a moment.
  async askAgain() {
    await this.fill();
    if (!this.current && this.ahead.length) this.advance();
  }

  queue(sitting) {
    if (this.leased.some((other) => other.lease === sitting.lease)) return;
    this.ahead.push(sitting);
    this.fetched(sitting);
  }

  // The decision travels in the background while the next document is shown.
  accept() {
    const sitting = this.current;
    if (!sitting) return;
    if (sitting.editing) return this.save(sitting);
    const body = { labels: labels(sitting), seconds: sitting.watch.seconds };
    this.send("POST", `leases/${sitting.lease}/decision`, body);
    this.done = sitting.position;
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
    if (!answer.assignment) return this.tell("Your last change was taken back.");
    const before = this.current?.editing ? this.aside : this.current;
    if (before) this.ahead.unshift(before);
    this.done = answer.assignment.position - 1;
    this.put(fromAssignment(answer.assignment));
  }

  async edit(index) {
    try {
      const sitting = fromDecision(await this.api.get(`documents/${index}`));
      if (!this.current?.editing) this.aside = this.current;
      this.put(sitting);
    } catch (error) {
      this.complain(error.message);
    }
  }

  save(sitting) {
    this.send("PUT", `documents/${sitting.document.index}/decision`, { labels: labels(sitting) });
    this.leaveEditing();
  }

  leaveEditing() {
    if (!this.current?.editing) return;
    this.current = null;
    this.put(this.aside);
    this.aside = null;
  }

  // The document went to somebody else: it is of no use to read on.
  drop(sitting) {
    this.ahead = this.ahead.filter((other) => other !== sitting);
    if (this.current === sitting || this.aside === sitting) this.advance();
  }

  async send(method, path, body, options) {
    try {
      const answer = await this.outbox.put(method, path, body, options);
      this.changed();
      return answer;
    } catch (error) {
      const unsure = options?.once && error.status === 0;
      this.complain(`${error.message}${unsure ? " Your last decisions show whether it was done." : ""}`);
      this.changed();
      return null;
    }
  }
}
