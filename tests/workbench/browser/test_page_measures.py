"""The names of measures on the page are those that commands and reports print."""

from itertools import product
from pathlib import Path

import satc.workbench.web
from satc.measures import NAMES, display_name

FORMAT = Path(satc.workbench.web.__file__).parent / "static" / "shared" / "format.js"
NAMED = """async ([text, cases]) => {
  const format = await import("data:text/javascript," + encodeURIComponent(text));
  return cases.map(([measure, average, task]) =>
    format.measureName(average, measure, task === "single-label"));
}"""


def test_the_page_and_the_commands_name_measures_alike(reader):
    cases = list(product(NAMES, ("macro", "micro"), ("multi-label", "single-label")))
    found = reader.page.evaluate(NAMED, [FORMAT.read_text(encoding="utf-8"), cases])
    assert found == [display_name(*case) for case in cases]
