// The card of open documents: who has which one, with buttons to release it and
// to give it to somebody else.

import { byId, element } from "../shared/dom.js";
import { datetime } from "../shared/format.js";
import { t } from "../shared/messages.js";
import { api, attempt, change } from "./requests.js";
import { documentsLink, paragraph, table } from "./tables.js";

export class OpenCard {
  // `changed()` is called after a document was released or given to somebody else.
  constructor(changed) {
    this.changed = changed;
    this.readers = [];
  }

  show({ leases, readers }) {
    this.readers = readers;
    const card = byId("open-documents");
    if (card.contains(document.activeElement) && document.activeElement.tagName === "SELECT") return;
    if (!leases.length) {
      card.replaceChildren(paragraph(t("manage.nothing_open"), "muted"));
      return;
    }
    const names = ["document", "person", "since", "until", "why", "actions"];
    const headings = names.map((name) => t(`manage.open_${name}`));
    const rows = leases.map((lease) => [
      documentsLink({ q: lease.id }, lease.id),
      lease.who,
      lease.since ? datetime(lease.since) : "\u2013",
      lease.has_expired ? t("manage.time_is_over") : datetime(lease.expires),
      t(`manage.source_${lease.source}`),
      this.actions(lease),
    ]);
    card.replaceChildren(
      paragraph(t("manage.open_help"), "muted"),
      table(t("manage.open_documents"), headings, rows, "stacked"),
    );
  }

  actions(lease) {
    const release = element(
      "button",
      { type: "button", onclick: () => this.release(lease) },
      t("manage.release"),
      element("span", { class: "unseen" }, ` ${lease.id}`),
    );
    const others = this.readers.filter((name) => name !== lease.who);
    return element("div", { class: "row-actions" }, release, ...(others.length ? this.giving(lease, others) : []));
  }

  giving(lease, others) {
    const options = others.map((name) => element("option", { value: name }, name));
    const select = element("select", { "aria-label": t("manage.give_to_label", { id: lease.id }) }, ...options);
    const give = element(
      "button",
      { type: "button", onclick: () => this.assign(lease, select.value) },
      t("manage.give"),
      element("span", { class: "unseen" }, ` ${lease.id}`),
    );
    return [give, select];
  }

  async release({ lease, id }) {
    const said = t("manage.released", { id });
    if (await attempt(() => change("DELETE", `${api.base}/leases/${lease}`), said)) this.finish();
  }

  async assign({ lease, id }, who) {
    const said = t("manage.given", { id, who });
    if (await attempt(() => change("POST", `${api.base}/leases/${lease}/assign`, { who }), said)) this.finish();
  }

  // The button is gone: the focus goes to the heading of the card.
  finish() {
    byId("open-heading").focus();
    this.changed();
  }
}
