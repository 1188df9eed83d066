// Leases are renewed while the page is seen and used, so that a document does
// not go to somebody else while it is being read, and does when it is not.

const SIGNS_OF_LIFE = ["keydown", "pointerdown", "pointermove", "scroll"];

export class Leases {
  // `held()` lists the sittings with a lease; `lost(sitting, message)` takes one away.
  constructor(api, seconds, { held, lost }) {
    Object.assign(this, { api, held, lost });
    this.span = 1000 * seconds;
    this.alive = performance.now();
    for (const sign of SIGNS_OF_LIFE) {
      document.addEventListener(sign, () => (this.alive = performance.now()), { passive: true, capture: true });
    }
    setInterval(() => this.renew(), this.span / 3);
  }

  get idle() {
    return document.hidden || performance.now() - this.alive > this.span;
  }

  async renew() {
    if (this.idle) return;
    await Promise.all(this.held().map((sitting) => this.renewOne(sitting)));
  }

  async renewOne(sitting) {
    try {
      await this.api.send("POST", `leases/${sitting.lease}/renew`);
    } catch (error) {
      const gone = error.status === 404 || error.status === 409;
      if (gone && this.held().includes(sitting)) this.lost(sitting, error.message);
    }
  }
}
