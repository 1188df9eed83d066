// On a phone the labels can be below the text. Nobody accepts a document before
// a label was in sight: a chip above the buttons, or the list of labels.

import { byId } from "../shared/dom.js";

const SIDE_BY_SIDE = matchMedia("(min-width: 960px)"); // as in workbench.css: the list is beside the text

export class InSight {
  constructor() {
    this.isListSeen = false;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.isListSeen = true;
    });
    observer.observe(byId("labels-list"));
    observer.observe(byId("search"));
  }

  // Called for each new document. The observer reports only changes, so we look as well.
  start() {
    if (SIDE_BY_SIDE.matches) return;
    const { top, bottom } = byId("labels-list").getBoundingClientRect();
    const area = byId("scroller").getBoundingClientRect();
    this.isListSeen = bottom > area.top && top < area.bottom;
  }

  get isSeen() {
    return SIDE_BY_SIDE.matches || this.isListSeen || Boolean(document.querySelector("#chosen .chip, #offered .chip"));
  }

  scrollToLabels() {
    byId("labels").scrollIntoView({ block: "start" });
  }
}
