// Everything that changes something on the server leaves through the outbox:
// one request at a time, in the order of the person's actions, repeated until
// the server has answered. So nothing is lost silently, an undo always follows
// the decision that it takes back, and the next document is asked for after
// the last decision is known.

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;

export class Outbox {
  constructor(api, tell = () => {}) {
    this.api = api;
    this.tell = tell;
    this.items = [];
    this.trouble = null;
    this.running = false;
  }

  // How many of the person's own actions are not saved yet.
  get unsaved() {
    return this.items.filter((item) => item.keep).length;
  }

  // `keep` marks what would be lost if the page were closed now; `once` what must
  // not be repeated, because doing it twice is not the same as doing it once.
  put(method, path, body, { keep = true, once = false } = {}) {
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
      const trouble = await this.sendFirst();
      this.report(trouble);
      if (trouble) await this.pause(wait, trouble);
      wait = trouble ? Math.min(2 * wait, LONGEST_WAIT) : FIRST_WAIT;
    }
    this.running = false;
  }

  // Sends the first item; answers with the trouble if it has to be tried again.
  async sendFirst() {
    const { method, path, body, once, resolve, reject } = this.items[0];
    try {
      const answer = await this.api.send(method, path, body);
      this.items.shift();
      resolve(answer);
    } catch (error) {
      if (error.loggedOut || (error.passing && !once)) return error;
      this.items.shift();
      reject(error);
    }
    return null;
  }

  report(trouble) {
    if (!trouble && !this.trouble) return;
    this.trouble = trouble;
    this.tell(trouble, this.unsaved);
  }

  // A passing trouble is tried again by itself; after a logout a person has to act.
  pause(milliseconds, trouble) {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (trouble.passing) setTimeout(resolve, milliseconds);
    });
  }

  tryNow() {
    this.wake?.();
  }
}
