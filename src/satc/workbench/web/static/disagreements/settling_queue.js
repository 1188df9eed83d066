// The disagreements that this person may settle. A settlement leaves the queue at
// once and is sent in the background; if it fails, the queue is loaded again.

const FEW = 5; // more are fetched when fewer are left

export class SettlingQueue {
  // `changed()` is called after each change, `failed(message)` if a settlement was not saved.
  constructor(api, { changed, failed }) {
    Object.assign(this, { api, changed, failed });
    this.items = [];
    this.counts = { yours: 0, open: 0, settled: 0 };
    this.settledHere = 0;
    this.unsaved = 0;
    this.wanted = null;
    this.sending = Promise.resolve();
  }

  get current() {
    return this.items[0] ?? null;
  }

  async load() {
    const answer = await this.api.get("disagreements");
    const before = this.current;
    this.items = answer.disagreements;
    this.counts = { yours: answer.n_yours, open: answer.n_open, settled: answer.n_settled };
    this.bringForward(this.wanted ?? before?.document.index);
    this.wanted = null;
  }

  bringForward(index) {
    const found = this.items.find((item) => item.document.index === index);
    if (found) this.items = [found, ...this.items.filter((item) => item !== found)];
  }

  choose(item) {
    this.bringForward(item.document.index);
    this.changed();
  }

  later() {
    if (this.items.length < 2) return;
    this.items.push(this.items.shift());
    this.changed();
  }

  // Returns whether the settlement was saved.
  settle(labels) {
    const item = this.items.shift();
    const { yours, open, settled } = this.counts;
    this.counts = { yours: yours - 1, open: open - 1, settled: settled + 1 };
    this.settledHere += 1;
    this.changed();
    const saved = this.sending.then(() => this.send(item, labels));
    this.sending = saved.catch(() => null);
    return saved;
  }

  async send({ document, first, second }, labels) {
    this.unsaved += 1;
    try {
      const body = { labels, first: first.decision, second: second.decision };
      await this.api.send("POST", `disagreements/${document.index}/settle`, body);
      if (this.items.length < FEW && this.counts.yours > this.items.length) await this.reload();
      return true;
    } catch (error) {
      this.settledHere -= 1;
      this.failed(error.message);
      await this.reload().catch(() => null);
      return false;
    } finally {
      this.unsaved -= 1;
    }
  }

  async reload() {
    await this.load();
    this.changed();
  }

  async undo() {
    await this.sending;
    const answer = await this.api.send("POST", "undo");
    this.settledHere -= 1;
    this.wanted = answer.document;
    return answer;
  }
}
