// Documents that are nearly the same as the one that was just decided: the page
// offers them together, and one key gives a document the same labels. Each is a
// decision of its own, so each can be undone.

import { byId, element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { showInfo } from "../shared/notices.js";

const KEY = "d";
const TAGS = { same: "span", added: "ins", missing: "del" };

export class NearDuplicates {
  // `queue` sends the decisions, and closes documents that are open on this page.
  constructor(api, queue, book) {
    Object.assign(this, { api, queue, book });
    this.dialog = byId("near-dialog");
    this.of = null;
    this.documents = [];
    this.listen();
  }

  listen() {
    setVisible(byId("near-key"), !this.book.keys.has(KEY)); // a class may have this key
    byId("near-open").addEventListener("click", () => this.open());
    byId("near-dismiss").addEventListener("click", () => this.forget());
    byId("near-same").addEventListener("click", () => this.same());
    byId("near-other").addEventListener("click", () => this.leave());
    byId("near-all").addEventListener("click", () => this.all());
    byId("near-close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("keydown", (event) => this.pressInDialog(event));
    this.dialog.addEventListener("close", () => this.show());
  }

  // A decision was saved: ask for the documents that are nearly the same.
  async decided(index) {
    if (this.dialog.open) return;
    this.forget();
    const answer = await this.api.get(`documents/${index}/duplicates`).catch(() => null);
    if (!answer?.of || this.dialog.open) return;
    this.of = answer.of;
    this.documents = answer.documents;
    this.show();
  }

  forget() {
    this.of = null;
    this.documents = [];
    this.show();
  }

  show() {
    const n = this.documents.length;
    setVisible(byId("near-offer"), n > 0 && !this.dialog.open);
    byId("near-offer-text").textContent = n ? t("workbench.near_offer", { n }) : "";
    if (this.dialog.open) this.showDocument();
  }

  open() {
    if (!this.documents.length || this.dialog.open) return;
    this.total = this.documents.length;
    this.copied = 0;
    this.dialog.showModal();
    this.show();
    byId("near-heading").focus();
  }

  showDocument() {
    const [shown] = this.documents;
    if (!shown) return this.finish();
    const number = this.total - this.documents.length + 1;
    byId("near-heading").textContent = t("workbench.near_heading", { number, n: this.total });
    byId("near-id").textContent = shown.id;
    byId("near-labels").textContent = this.labelsText();
    byId("near-text").replaceChildren(...shown.pieces.map(({ kind, text }) => element(TAGS[kind], {}, text)));
    byId("near-text").scrollTop = 0;
    setVisible(byId("near-legend"), shown.pieces.some(({ kind }) => kind !== "same"));
    const n = this.withSameWords().length;
    setVisible(byId("near-all"), n > 1);
    byId("near-all-text").textContent = t("workbench.near_all", { n });
    return null;
  }

  labelsText() {
    const items = this.book.namesOf(this.of.labels);
    return items.length ? t("workbench.near_labels", { items }) : t("workbench.near_no_labels");
  }

  // Documents that need not be read: their words are those of the one that was read.
  withSameWords() {
    return this.documents.filter((one) => !one.must_read);
  }

  same() {
    this.copy([this.documents[0]], true);
  }

  all() {
    this.copy(this.withSameWords(), false);
  }

  leave() {
    this.documents.shift();
    this.show();
  }

  // Documents of which the person has read the text are sent with `read`.
  copy(chosen, read) {
    const [first] = this.documents;
    this.documents = this.documents.filter((one) => !chosen.includes(one));
    for (const one of chosen) {
      const body = { of: this.of.index, read: read || one === first };
      this.queue.send("POST", `documents/${one.index}/same-as`, body);
      const open = this.queue.leased.find((task) => task.document.index === one.index);
      if (open) this.queue.drop(open);
    }
    this.copied += chosen.length;
    this.show();
  }

  finish() {
    this.dialog.close();
    if (this.copied) showInfo(t("workbench.near_done", { n: this.copied }));
  }

  pressInDialog(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    const key = event.key.toLowerCase();
    if (key === KEY && event.shiftKey) {
      if (this.withSameWords().length > 1) this.all();
    } else if (key === KEY) this.same();
    else if (key === "n") this.leave();
    else return;
    event.preventDefault();
  }
}
