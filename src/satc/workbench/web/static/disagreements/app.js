// The page of disagreements: connects the queue, the two answers, the choice of
// other labels, the tables of agreement, the buttons and the keys.

import { Api } from "../shared/api.js";
import { byId, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { announce, showError, showInfo } from "../shared/notices.js";
import { ClassBook } from "../workbench/class_book.js";
import { showAgreement } from "./agreement.js";
import { ClassPicker } from "./class_picker.js";
import { showCase } from "./case_view.js";
import { showNothing } from "./empty.js";
import { SettlingQueue } from "./settling_queue.js";
import { showQueue } from "./waiting.js";

const { project, overlap, single } = document.body.dataset;
const isSingle = single === "true";
const api = new Api(project, document.querySelector('meta[name="csrf-token"]').content);
const TYPING = 'input:not([type="checkbox"], [type="radio"]), textarea, select';

class Page {
  constructor(book) {
    this.book = book;
    this.picker = new ClassPicker(book, isSingle, (labels) => this.settle(labels));
    this.queue = new SettlingQueue(api, { changed: () => this.show(), failed: showError });
  }

  async refresh() {
    const [, agreement] = await Promise.all([this.queue.load(), api.get("agreement")]);
    this.agreement = agreement;
    showAgreement(agreement, this.book);
    this.show();
  }

  show() {
    const { current, counts } = this.queue;
    document.body.dataset.state = current ? "settling" : "empty";
    byId("counts").textContent = t("disagreements.counts", { n: counts.yours, settled: counts.settled });
    setVisible(byId("case"), Boolean(current));
    setVisible(byId("nothing"), !current);
    setVisible(byId("later"), this.queue.items.length > 1);
    setVisible(byId("undo"), this.queue.settledHere > 0);
    showQueue(this.queue, this.book.names);
    if (!current) {
      showNothing(counts, this.agreement, Number(overlap));
    } else if (current !== this.shown) {
      showCase(current, this.book.names, (labels) => this.settle(labels));
      this.picker.show(current);
    }
    this.shown = current;
  }

  // The next disagreement is shown at once; the settlement is saved in the background.
  async settle(labels) {
    const saved = this.queue.settle(labels);
    byId("settling-heading").focus();
    announce(t("disagreements.settled_now", { n: this.queue.counts.yours }));
    if (await saved) showAgreement(await api.get("agreement"), this.book);
  }

  async undo() {
    if (!this.queue.settledHere) return;
    try {
      showInfo((await this.queue.undo()).message);
    } catch (error) {
      showError(error.message);
    }
    await this.refresh();
  }

  listen() {
    byId("later").addEventListener("click", () => this.queue.later());
    byId("undo").addEventListener("click", () => this.undo());
    document.addEventListener("keydown", (event) => this.press(event));
    addEventListener("beforeunload", (event) => this.queue.unsaved && event.preventDefault());
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (event.key === "Escape" && event.target.closest("#others")) return this.picker.close();
    if (event.target.closest(TYPING)) return;
    const { current } = this.queue;
    const commands = {
      1: () => current && this.settle(current.first.labels),
      2: () => current && this.settle(current.second.labels),
      "/": () => current && this.picker.open(),
      s: () => this.queue.later(),
      u: () => this.undo(),
    };
    const command = commands[event.key];
    if (!command) return;
    event.preventDefault();
    command();
  }
}

async function start() {
  const page = new Page(new ClassBook(await api.get("classes")));
  page.listen();
  await page.refresh();
}

start().catch((error) => showError(error.message));
