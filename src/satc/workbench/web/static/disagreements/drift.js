// How a person's agreement with the others has changed: a sentence, and a small
// chart of the share of equal answers, from the oldest documents to the newest.

import { element, svgElement } from "../shared/dom.js";
import { percent } from "../shared/format.js";
import { t } from "../shared/messages.js";

const WIDTH = 160;
const HEIGHT = 36;
const EDGE = 4;

const TEXTS = {
  "too-few": "disagreements.drift_too_few",
  same: "disagreements.drift_same",
  less: "disagreements.drift_less",
  more: "disagreements.drift_more",
};

function chart(shares) {
  const x = (i) => EDGE + (i * (WIDTH - 2 * EDGE)) / (shares.length - 1);
  const y = (share) => HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE);
  const points = shares.map((share, i) => `${x(i).toFixed(1)},${y(share).toFixed(1)}`);
  const last = shares.length - 1;
  const label = t("disagreements.drift_chart", { shares: shares.map(percent) });
  return svgElement(
    "svg",
    { class: "drift", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": label },
    svgElement("line", { class: "rail", x1: EDGE, x2: WIDTH - EDGE, y1: y(1), y2: y(1) }),
    svgElement("line", { class: "rail", x1: EDGE, x2: WIDTH - EDGE, y1: y(0), y2: y(0) }),
    svgElement("polyline", { class: "curve", points: points.join(" ") }),
    svgElement("circle", { class: "end", cx: x(last), cy: y(shares[last]), r: 3 }),
  );
}

export function driftLine({ who, drift }) {
  const text = t(TEXTS[drift.verdict], { who, ...drift });
  const picture = drift.shares.length > 1 ? chart(drift.shares) : null;
  return element("li", { class: drift.verdict }, element("span", { dir: "auto" }, text), picture);
}
