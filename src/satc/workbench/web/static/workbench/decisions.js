// The last decisions, the latest first; each can be opened and edited. Managers
// see those of everybody, and can switch to their own.

import { breakable, byId, element, setVisible } from "../shared/dom.js";
import { clock } from "../shared/format.js";
import { t } from "../shared/messages.js";

const REFRESH_AFTER_CHANGE = 300;

// Where predictions were hidden (null), nothing counts as corrected.
const isCorrected = (labels, predicted) =>
  predicted !== null &&
  (labels.length !== predicted.length || labels.some((label) => !predicted.includes(label)));

export class Decisions {
  // `edit(index)` opens a document again.
  constructor(api, book, edit) {
    Object.assign(this, { api, book, edit });
    this.box = byId("only-mine"); // only managers of a team have it
    this.box?.addEventListener("change", () => this.refresh());
    this.box?.addEventListener("click", (event) => event.detail > 0 && this.box.blur());
  }

  get isMine() {
    return this.box?.checked ?? true;
  }

  refreshSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), REFRESH_AFTER_CHANGE);
  }

  async refresh() {
    const { isMine } = this;
    const answer = await this.api.get(`decisions?limit=20&mine=${isMine}`).catch(() => null);
    if (!answer || isMine !== this.isMine) return;
    byId("decisions-heading").textContent = t(isMine ? "workbench.your_decisions" : "workbench.all_decisions");
    this.draw(answer.decisions);
  }

  draw(decisions) {
    const focused = document.activeElement?.dataset?.edit;
    byId("decisions-list").replaceChildren(...decisions.map((decision) => this.item(decision)));
    setVisible(byId("decisions-none"), !decisions.length);
    if (focused) document.querySelector(`[data-edit="${Number(focused)}"]`)?.focus();
  }

  item({ document: { index, snippet }, labels, predicted, who, when, flagged, note }) {
    const about = [
      clock(when),
      this.isMine ? "" : who,
      isCorrected(labels, predicted) ? t("workbench.sign_corrected") : "",
      flagged ? t("workbench.sign_flagged") : "",
      note ? t("workbench.sign_note") : "",
    ];
    const button = element(
      "button",
      { type: "button", class: "decision", "data-edit": index, title: t("workbench.edit_decision"), onclick: () => this.edit(index) },
      element("span", { class: "snippet", dir: "auto" }, snippet),
      element("span", { class: "given", dir: "auto" }, ...breakable(this.book.textOf(labels))),
      element("span", { class: "about", dir: "auto" }, about.filter(Boolean).join(" \u00b7 ")),
    );
    return element("li", {}, button);
  }
}
