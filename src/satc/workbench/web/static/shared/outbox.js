// All changes are sent through the outbox: one request at a time, in the order
// of the person's actions, repeated until the server has answered. So nothing is
// lost silently, an undo comes after the decision that it undoes, and the next
// document is requested after the last decision was saved.

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;

export class Outbox {
  // `report(problem, unsaved)` is called when sending fails, and with null when it works again.
  constructor(api, report = () => {}) {
    this.api = api;
    this.report = report;
    this.items = [];
    this.problem = null;
    this.running = false;
  }

  // How many of the person's own actions are not saved yet.
  get unsaved() {
    return this.items.filter((item) => item.keep).length;
  }

  // `keep`: the person would lose this if the page were closed now. `once`: must not be
  // repeated, because doing it twice is not the same as doing it once.
  send(method, path, body, { keep = true, once = false } = {}) {
    return new Promise((resolve, reject) => {
      this.items.push({ method, path, body, keep, once, resolve, reject });
      this.run();
    });
  }

  async run() {
    if (this.running) return;
    this.running = true;
    let wait = FIRST_WAIT;
    while (this.items.length) {
      const problem = await this.sendFirst();
      this.setProblem(problem);
      if (problem) await this.pause(wait, problem);
      wait = problem ? Math.min(2 * wait, LONGEST_WAIT) : FIRST_WAIT;
    }
    this.running = false;
  }

  // Sends the first item; returns the error if it has to be sent again.
  async sendFirst() {
    const { method, path, body, once, resolve, reject } = this.items[0];
    try {
      const answer = await this.api.send(method, path, body);
      this.items.shift();
      resolve(answer);
    } catch (error) {
      if (error.isLoggedOut || (error.isTemporary && !once)) return error;
      this.items.shift();
      reject(error);
    }
    return null;
  }

  setProblem(problem) {
    if (!problem && !this.problem) return;
    this.problem = problem;
    this.report(problem, this.unsaved);
  }

  // After a temporary problem we try again by ourselves; after a logout the person has to act.
  pause(milliseconds, problem) {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (problem.isTemporary) setTimeout(resolve, milliseconds);
    });
  }

  tryNow() {
    this.wake?.();
  }
}
