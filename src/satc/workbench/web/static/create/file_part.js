// One file of the new project: it is dropped or chosen, sent once, looked at, and mapped.

import { apiAddress } from "../shared/addresses.js";
import { element, setVisible } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { remove, sendForm } from "./form_request.js";
import { Mapping } from "./mapping.js";
import { bookView, rowsTable, sizeLine, understoodView } from "./preview_view.js";

const PREVIEW = apiAddress("preview");
const MAPPED = ["documents", "train", "predictions"];

export class FilePart {
  // `root` has a drop zone, or is empty if the file is that of another part.
  constructor(part, root, onChange) {
    this.part = part;
    this.root = root;
    this.onChange = onChange;
    this.mapping = MAPPED.includes(part) ? new Mapping(part) : null;
    this.seen = root.querySelector(".seen") ?? root;
    this.input = root.querySelector("input[type=file]");
    this.drop = root.querySelector(".drop");
    this.label = this.drop?.querySelector("label").textContent ?? "";
    this.forget();
    if (this.input) this.listen();
  }

  forget() {
    this.preview = null;
    this.problem = null;
    this.isBusy = false;
    this.request = (this.request ?? 0) + 1;
  }

  listen() {
    this.input.addEventListener("change", () => this.takeChosen());
    for (const kind of ["dragenter", "dragover"])
      this.drop.addEventListener(kind, (event) => {
        event.preventDefault();
        this.drop.classList.add("over");
      });
    for (const kind of ["dragleave", "drop"]) this.drop.addEventListener(kind, () => this.drop.classList.remove("over"));
    this.drop.addEventListener("drop", (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) this.take(file);
    });
  }

  // A file may have been chosen before this script was there.
  takeChosen() {
    if (this.input?.files[0]) this.take(this.input.files[0]);
  }

  get name() {
    return this.preview?.name ?? this.label;
  }

  get token() {
    return this.preview?.token ?? null;
  }

  // Other files are not looked at, only kept.
  get apiPart() {
    return [...MAPPED, "known", "classes"].includes(this.part) ? this.part : "other";
  }

  async take(file) {
    this.drop_old();
    this.say(t("create.uploading", { done: 0 }));
    const progress = (done) => this.say(done < 1 ? t("create.uploading", { done }) : t("create.reading"));
    await this.look({ file, part: this.apiPart }, progress, true);
    if (this.input) this.input.value = ""; // so that the same file can be chosen again
  }

  drop_old() {
    if (this.token) remove(`${PREVIEW}/${encodeURIComponent(this.token)}`).catch(() => {});
    this.forget();
  }

  // Look at a file that is on the server already.
  async takeToken(token, sheet) {
    this.forget();
    await this.look({ token, part: this.apiPart, sheet }, () => {}, true);
  }

  async look(fields, onProgress, isNew) {
    const request = ++this.request;
    this.isBusy = true;
    this.onChange();
    try {
      const preview = await sendForm(PREVIEW, fields, onProgress);
      if (request !== this.request) return;
      this.preview = preview;
      this.problem = preview.error;
      if (isNew && this.mapping) this.mapping.takeGuess(preview);
    } catch (error) {
      if (request !== this.request) return;
      this.problem = error.message;
      if (isNew) this.preview = null;
    }
    this.isBusy = false;
    this.show();
    this.onChange();
  }

  // Another sheet has other columns, so they are guessed again.
  change(name) {
    if (name === "sheet")
      this.look({ token: this.token, part: this.apiPart, sheet: this.mapping.sheet }, () => {}, true);
    else this.look({ token: this.token, ...this.mapping.fields() }, () => {}, false);
  }

  say(text) {
    this.seen.replaceChildren(element("p", { class: "muted" }, text));
  }

  show() {
    const before = document.activeElement;
    const focused = this.controls().indexOf(before);
    this.seen.replaceChildren(...this.parts());
    if (this.drop) setVisible(this.drop, this.preview === null || this.preview.error !== null);
    const now = focused >= 0 ? this.controls()[focused] : null;
    now?.focus();
    if (now?.type === "text" && before.type === "text") now.setSelectionRange(before.selectionStart, before.selectionEnd);
  }

  controls() {
    return [...this.seen.querySelectorAll("select, input, button")];
  }

  parts() {
    const parts = [];
    const { preview } = this;
    if (preview && this.input) parts.push(this.heading());
    if (this.problem) parts.push(element("p", { class: "notice error", role: "alert" }, element("span", { dir: "auto" }, this.problem)));
    if (!preview) return parts;
    if (this.mapping && preview.columns.length)
      parts.push(this.mapping.render(preview, (name) => this.change(name), !this.input));
    if (preview.understood) parts.push(this.mapping ? understoodView(preview.understood, this.mapping) : bookView(preview.understood));
    if (this.input && preview.rows.length) parts.push(rowsTable(preview));
    return parts.filter((part) => part !== null);
  }

  heading() {
    const clear = () => {
      this.drop_old();
      this.show();
      this.onChange();
      this.input.focus();
    };
    return element(
      "p",
      { class: "file-name" },
      element("span", {}, this.label),
      element("strong", { dir: "auto" }, this.preview.name),
      element("span", { class: "muted" }, sizeLine(this.preview)),
      element("button", { type: "button", class: "quiet", onclick: clear, "aria-label": `${t("create.remove_file")}: ${this.preview.name}` }, t("create.remove_file")),
    );
  }

  // Why a project cannot be made with this file; null if it can.
  complaint() {
    if (this.isBusy) return t("create.still_reading", { name: this.name });
    if (!this.preview) return t("create.needs_file", { what: this.label });
    if (this.preview.error || this.problem) return t("create.cannot_be_read", { name: this.name });
    const { understood } = this.preview;
    if (understood?.faults.length) return t("create.has_faults", { name: this.name });
    if (this.mapping && this.preview.columns.length && !this.mapping.isComplete) return t("create.needs_columns", { name: this.name });
    if (this.mapping?.hasLabels && understood?.complete && !understood.n_classes) return t("create.needs_labels", { name: this.name });
    return null;
  }
}
