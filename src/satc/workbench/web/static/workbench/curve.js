// The curve of the estimated accuracy: a line and a 95% band for each average.
// It uses SVG attributes only, because the content security policy forbids
// inline styles.

import { svgElement } from "../shared/dom.js";
import { count, interval, measureName, percent } from "../shared/format.js";
import { t } from "../shared/messages.js";

const WIDTH = 400;
const HEIGHT = 170;
const LEFT = 42; // room for "100 %"
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];

// At most five grid lines, at round values that enclose all values.
export function gridOf(values) {
  const low = Math.max(0, Math.min(...values));
  const high = Math.min(1, Math.max(...values));
  const step = STEPS.find((size) => (high - low) / size <= 4) ?? 0.5;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function scales(points, ahead) {
  const past = points.flatMap((p) => [p.macro_low, p.macro_high, p.micro_low, p.micro_high]);
  const values = [...past, ...ahead.flatMap((p) => [p.low, p.high])];
  const grid = gridOf(values);
  const [low, high] = [grid[0], grid[grid.length - 1]];
  const last = Math.max(1, ...[...points, ...ahead].map((p) => p.n));
  return {
    grid,
    last,
    x: (n) => LEFT + ((WIDTH - LEFT - RIGHT) * n) / last,
    y: (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (value - low)) / (high - low),
  };
}

const coordinates = (x, y) => `${x.toFixed(1)},${y.toFixed(1)}`;

function series(points, average, { x, y }) {
  const line = points.map((p) => coordinates(x(p.n), y(p[average])));
  const above = points.map((p) => coordinates(x(p.n), y(p[`${average}_high`])));
  const below = points.map((p) => coordinates(x(p.n), y(p[`${average}_low`]))).reverse();
  return [
    svgElement("polygon", { class: `band ${average}`, points: [...above, ...below].join(" ") }),
    svgElement("polyline", { class: `line ${average}`, points: line.join(" ") }),
  ];
}

// The expected curve of the work ahead: a dashed line with its band.
function forecast(ahead, average, { x, y }) {
  if (ahead.length < 2) return [];
  const above = ahead.map((p) => coordinates(x(p.n), y(p.high)));
  const below = ahead.map((p) => coordinates(x(p.n), y(p.low))).reverse();
  return [
    svgElement("polygon", { class: `band ahead ${average}`, points: [...above, ...below].join(" ") }),
    svgElement("polyline", {
      class: `line ahead ${average}`,
      points: ahead.map((p) => coordinates(x(p.n), y(p.value))).join(" "),
    }),
  ];
}

function axes({ grid, last, x, y }) {
  const right = WIDTH - RIGHT;
  const lines = grid.flatMap((value) => [
    svgElement("line", { class: "grid", x1: LEFT, x2: right, y1: y(value), y2: y(value) }),
    svgElement("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, percent(Math.round(100 * value) / 100)),
  ]);
  const label = { y: HEIGHT - 6, "text-anchor": "middle" };
  return [
    ...lines,
    svgElement("text", { ...label, x: x(0), "text-anchor": "start" }, "0"),
    svgElement("text", { ...label, x: (LEFT + right) / 2 }, t("workbench.documents_checked")),
    svgElement("text", { ...label, x: right, "text-anchor": "end" }, count(last)),
  ];
}

function title(accuracy) {
  const parts = ["macro", "micro"].map(
    (average) => `${measureName(average, accuracy.measure, accuracy.isSingle)} ${interval(accuracy[average])}`,
  );
  return svgElement("title", { id: "curve-title" }, t("workbench.curve_title", { items: parts }));
}

// The part of the forecast for documents that exist; `most` is their number.
const within = (ahead, most) => ahead.filter(({ n }) => n <= most);

export function drawCurve(svg, curve, accuracy, forecasted, most) {
  const ahead = within(forecasted, most);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  const drawn = curve.length > 1 || (curve.length && ahead.length > 1);
  svg.toggleAttribute("hidden", !drawn);
  if (!drawn) return;
  const scale = scales(curve, ahead);
  const [back, front] = accuracy.average === "micro" ? ["macro", "micro"] : ["micro", "macro"];
  svg.replaceChildren(
    title(accuracy),
    ...axes(scale),
    ...series(curve, back, scale),
    ...forecast(ahead, front, scale),
    ...series(curve, front, scale),
  );
}
