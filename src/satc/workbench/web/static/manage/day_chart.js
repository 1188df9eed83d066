// The chart of decisions by day and person: stacked bars. It uses SVG attributes
// only, because the content security policy forbids inline styles.

import { element, svgElement } from "../shared/dom.js";
import { count, language } from "../shared/format.js";
import { t } from "../shared/messages.js";

const HEIGHT = 180;
const LEFT = 40;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 22;
const WIDEST_BAR = 48;

const shortDay = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });

// At most five grid lines at round numbers.
function gridOf(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => most / one <= 4));
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}

function axes(grid, y, width, days, middle) {
  const lines = grid.flatMap((value) => [
    svgElement("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
    svgElement("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, count(value)),
  ]);
  const labelled = days.length === 1 ? [0] : [0, days.length - 1];
  const names = labelled.map((i) => {
    const anchor = days.length === 1 ? "middle" : i ? "end" : "start";
    const x = days.length === 1 ? middle(i) : i ? width - RIGHT : LEFT;
    return svgElement("text", { x, y: HEIGHT - 6, "text-anchor": anchor }, shortDay.format(days[i]));
  });
  return [...lines, ...names];
}

function bars(days, series, y, middle, thick) {
  const below = days.map(() => 0);
  return series.flatMap(({ name, values }, which) =>
    values.flatMap((value, i) => {
      if (!value) return [];
      const top = y(below[i] + value);
      const height = y(below[i]) - top;
      below[i] += value;
      const text = t("manage.chart_bar", { day: shortDay.format(days[i]), name, n: value });
      const place = { x: middle(i) - thick / 2, y: top, width: thick, height };
      return [svgElement("rect", { class: `person-${which}`, ...place }, svgElement("title", {}, text))];
    }),
  );
}

function legend(series) {
  const items = series.map(({ name }, which) => {
    const patch = svgElement("svg", { class: "patch", viewBox: "0 0 12 12", "aria-hidden": "true" });
    patch.append(svgElement("rect", { class: `person-${which}`, width: 12, height: 12, rx: 2 }));
    return element("li", { dir: "auto" }, patch, name);
  });
  return element("ul", { class: "legend" }, ...items);
}

export function dayChart({ days, series }, width) {
  const totals = days.map((_, i) => series.reduce((sum, { values }) => sum + values[i], 0));
  const grid = gridOf(Math.max(1, ...totals));
  const highest = grid.at(-1);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / highest;
  const room = (width - LEFT - RIGHT) / days.length;
  const middle = (i) => LEFT + room * (i + 0.5);
  const thick = Math.min(WIDEST_BAR, Math.max(1, 0.75 * room));
  const total = totals.reduce((a, b) => a + b, 0);
  const title = svgElement("title", { id: "days-title" }, t("manage.chart_title", { n: total, days: days.length }));
  const chart = svgElement(
    "svg",
    { id: "days", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-labelledby": "days-title" },
    title,
    ...axes(grid, y, width, days, middle),
    ...bars(days, series, y, middle, thick),
  );
  return element("div", {}, chart, legend(series));
}
