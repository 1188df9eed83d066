// Texts that a reader cannot see: outside the window, cut off, one letter below the other, or
// under the buttons.
() => {
  const scrolls = ({ overflowX }) => overflowX === "auto" || overflowX === "scroll";
  const hides = ({ overflowX }) => overflowX === "hidden" || overflowX === "clip";
  const shortened = ({ textOverflow, webkitLineClamp }) =>
    textOverflow === "ellipsis" || webkitLineClamp !== "none";
  const parents = (node) => (node ? [node, ...parents(node.parentElement)] : []);
  const bar = document.querySelector(".actions");
  const modal = document.querySelector("dialog:modal");
  const shown = (node) =>
    node.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !node.closest("svg, .unseen, .skip-link, option, select")
    && (!modal || modal.contains(node));
  const box = (text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    return range.getBoundingClientRect();
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (!text.data.trim() || !shown(text.parentElement)) continue;
    const { left, right, top, bottom } = box(text);
    const around = parents(text.parentElement);
    if (around.some((node) => node.getBoundingClientRect().width <= 1)) continue; // for screen readers
    const styles = around.map((node) => [node, getComputedStyle(node)]);
    if (styles.some(([, style]) => scrolls(style) || shortened(style))) continue;
    const say = (fault) => found.push(`${fault}: ${text.data.trim().slice(0, 60)}`);
    if (left < -1 || right > innerWidth + 1) say("outside the window");
    if (text.data.trim().length > 4 && right - left < 20 && bottom - top > 80) say("squeezed");
    for (const [node, style] of styles) {
      const edge = node.getBoundingClientRect();
      if (hides(style) && (left < edge.left - 1 || right > edge.right + 1)) say("cut off");
    }
    if (!bar || bar.contains(text) || modal) continue;
    const frame = bar.getBoundingClientRect();
    const limits = styles.filter(([, { overflowY }]) => overflowY !== "visible")
      .map(([node]) => node.getBoundingClientRect());
    const lowest = Math.min(bottom, ...limits.map((limit) => limit.bottom));
    const highest = Math.max(top, ...limits.map((limit) => limit.top));
    const beside = right <= frame.left + 1 || left >= frame.right - 1;
    if (!beside && lowest > frame.top + 1 && highest < frame.bottom - 1) say("under the buttons");
  }
  return found;
}
