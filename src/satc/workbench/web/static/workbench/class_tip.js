// The definition and the synonyms of the class that the pointer rests on, or that
// has the focus, in a box. It stands beside the panel where there is room, so that
// it covers no other class. Escape closes it.

import { byId, element } from "../shared/dom.js";
import { t } from "../shared/messages.js";

const HOVER_MILLISECONDS = 350;
const GAP = 6; // pixels between the class and the box

export class ClassTip {
  constructor(book, container) {
    Object.assign(this, { book, container });
    this.tip = byId("class-tip");
    container.addEventListener("mouseover", (event) => this.point(event));
    container.addEventListener("mouseleave", () => this.hide());
    container.addEventListener("focusin", (event) => this.show(this.ownerOf(event.target)));
    container.addEventListener("focusout", () => this.hide());
    container.addEventListener("scroll", () => this.hide(), { passive: true });
    container.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    addEventListener("resize", () => this.hide());
  }

  ownerOf(target) {
    return target.closest("[data-label], [data-hit], [data-node] > .node");
  }

  labelOf({ dataset, parentElement }) {
    return Number(dataset.label ?? dataset.hit ?? parentElement.dataset.node);
  }

  // The browser also reports a pointer that rests when the classes change under it.
  hasMoved({ screenX, screenY }) {
    const position = `${screenX} ${screenY}`;
    const moved = position !== this.pointerPosition;
    this.pointerPosition = position;
    return moved;
  }

  point(event) {
    const { target } = event;
    clearTimeout(this.timer);
    if (!this.hasMoved(event)) return this.hide();
    const owner = this.ownerOf(target);
    if (owner && owner === this.owner) return null;
    this.hide();
    if (owner) this.timer = setTimeout(() => this.show(owner), HOVER_MILLISECONDS);
    return null;
  }

  hide() {
    clearTimeout(this.timer);
    this.owner?.removeAttribute("aria-describedby");
    this.owner = null;
    this.tip.hidden = true;
  }

  linesOf(label) {
    const { definitions, synonyms } = this.book;
    const also = synonyms[label].length ? t("workbench.also_called", { items: synonyms[label] }) : "";
    return [definitions[label], also].filter(Boolean);
  }

  show(owner) {
    this.hide();
    const lines = owner?.isConnected ? this.linesOf(this.labelOf(owner)) : [];
    if (!lines.length) return;
    this.owner = owner;
    owner.setAttribute("aria-describedby", "class-tip");
    this.tip.replaceChildren(...lines.map((line) => element("p", { dir: "auto" }, line)));
    this.tip.hidden = false;
    this.place(owner.getBoundingClientRect());
  }

  // Before or after the panel, or else below or above the class.
  place({ left, top, bottom }) {
    const { offsetWidth: width, offsetHeight: height, style } = this.tip;
    const panel = this.container.getBoundingClientRect();
    const before = panel.left - width - GAP;
    const after = panel.right + GAP;
    const isBeside = before >= GAP || after + width <= innerWidth;
    const below = bottom + GAP + height < innerHeight ? bottom + GAP : top - GAP - height;
    const x = before >= GAP ? before : isBeside ? after : Math.min(left, innerWidth - width - GAP);
    style.left = `${Math.max(GAP, x)}px`;
    style.top = `${Math.max(GAP, isBeside ? Math.min(top, innerHeight - height - GAP) : below)}px`;
  }
}
