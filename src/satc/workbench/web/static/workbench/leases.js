// Renews leases while the page is visible and used: a document that is being
// read stays with its reader, and one that is not becomes free for others.

const ACTIVITY = ["keydown", "pointerdown", "pointermove", "scroll"];

export class Leases {
  // `held()` lists the tasks with a lease; `lost(task, message)` is called when one is gone.
  constructor(api, seconds, { held, lost }) {
    Object.assign(this, { api, held, lost });
    this.milliseconds = 1000 * seconds;
    this.lastActivity = performance.now();
    for (const event of ACTIVITY) {
      document.addEventListener(event, () => (this.lastActivity = performance.now()), { passive: true, capture: true });
    }
    setInterval(() => this.renew(), this.milliseconds / 3);
  }

  get isIdle() {
    return document.hidden || performance.now() - this.lastActivity > this.milliseconds;
  }

  async renew() {
    if (this.isIdle) return;
    await Promise.all(this.held().map((task) => this.renewOne(task)));
  }

  async renewOne(task) {
    try {
      await this.api.send("POST", `leases/${task.lease}/renew`);
    } catch (error) {
      const gone = error.status === 404 || error.status === 409;
      if (gone && this.held().includes(task)) this.lost(task, error.message);
    }
  }
}
