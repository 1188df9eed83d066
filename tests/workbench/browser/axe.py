"""Accessibility rules of axe-core, run on an open page.

The source is evaluated in the page, because its policy forbids further scripts. ``make axe``
installs it.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from needs import absent

SOURCE = Path(__file__).parents[3] / "build/axe/node_modules/axe-core/axe.min.js"
# Rules that are off by default: experimental ones, and the size of targets (WCAG 2.2).
FURTHER = ("label-content-name-mismatch", "target-size", "css-orientation-lock", "p-as-heading")
FURTHER += ("focus-order-semantics", "table-fake-caption", "td-has-header")
COLOURS = ("color-contrast", "link-in-text-block")
RUN = """async ([further, only]) => {
  const rules = Object.fromEntries(further.map((rule) => [rule, { enabled: true }]));
  const options = only.length ? { runOnly: { type: "rule", values: only } } : { rules };
  const found = await axe.run(document, { ...options, resultTypes: ["violations"] });
  // An open item of a tree is named by its row; axe also counts the texts of the items in it.
  const named = '[role="treeitem"]';
  const isNamed = (id, { target: [place] }) =>
    id === "label-content-name-mismatch" && document.querySelector(place).matches(named);
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.filter((node) => !isNamed(id, node))
      .map(({ target, failureSummary }) => `${id}: ${target.join(" ")} (${failureSummary})`));
}"""


def source() -> str:
    """Return axe-core; skip the test if it is not installed."""
    if not SOURCE.exists():
        absent("no axe-core: run 'make axe', which needs npm")
    return SOURCE.read_text(encoding="utf-8")


def violations(page: Page, only: tuple[str, ...] = ()) -> list[str]:
    """Return the violations of all rules, or of some, on a page that has loaded axe-core."""
    return page.evaluate(RUN, [list(FURTHER), list(only)])
