"""From Enter to the next document painted, in a browser, on a served project.

The time runs from the key press to the end of the frame that shows the next document. The same is
measured on an empty page that changes one word, so that the ratio of the two tells how much our
page adds. The page fetches one document ahead, and the person reads for a third of a second.

    python benchmarks/bench_page.py [PROJECT.satc]

Without a project, MEDLINE records under 125 classes of MeSH are used.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "workbench" / "browser"), str(TESTS / "workbench"), str(TESTS)]

import sites
from playwright.sync_api import Page, sync_playwright

from conftest import ARGUMENTS, find_chromium

DOCUMENTS = 60
READING_MILLISECONDS = 333
WANTED = (30.0, 60.0)  # milliseconds: the median, and the 95th percentile

# Stores the time of each key press and of the end of the frame in which `watched` has changed.
MEASURE = """(watched) => {
  window.painted = [];
  let pressed = null;
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    if (pressed !== null) window.painted.push(performance.now() - pressed);
    pressed = null;
  };
  addEventListener("keydown", (event) => (pressed = event.timeStamp), { capture: true });
  new MutationObserver(() => requestAnimationFrame(() => channel.port2.postMessage("")))
    .observe(document.querySelector(watched), { childList: true, subtree: true });
}"""
EMPTY = """<p id="word">0</p>"""
COUNT = """() => addEventListener("keydown", () => {
  document.querySelector("#word").textContent = String(window.painted.length + 1);
})"""


def times(page: Page, n: int) -> np.ndarray:
    """Press Enter n times; return the milliseconds until each change was painted."""
    for i in range(n):
        page.wait_for_timeout(READING_MILLISECONDS)
        page.keyboard.press("Enter")
        page.wait_for_function("n => window.painted.length >= n", arg=i + 1)
    return np.array(page.evaluate("window.painted"))


def empty_page(page: Page) -> np.ndarray:
    page.set_content(EMPTY)
    page.evaluate(MEASURE, "#word")
    page.evaluate(COUNT)
    return times(page, DOCUMENTS)


def workbench(page: Page, url: str) -> np.ndarray:
    page.goto(url)
    page.locator("#reading").wait_for()
    page.wait_for_timeout(1000)
    page.evaluate(MEASURE, "#document-id")
    return times(page, DOCUMENTS)


def project(folder: Path) -> Path:
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    return sites.mesh(folder / "mesh.satc", n=DOCUMENTS + 10)


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    made = project(folder)
    with sync_playwright() as playwright, sites.serving(made, folder) as site:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = chromium.new_context(viewport={"width": 1440, "height": 900}).new_page()
        base = np.percentile(empty_page(page), [50, 95])
        found = np.percentile(workbench(page, site.enter_url), [50, 95])
        chromium.close()
    for name, seen, empty, wanted in zip(("median", "p95"), found, base, WANTED, strict=True):
        print(
            f"Enter to painted, {name}: {seen:.1f} ms (wanted: at most {wanted:.0f}); "
            f"empty page {empty:.1f} ms, ratio {seen / empty:.2f}"
        )


if __name__ == "__main__":
    main()
