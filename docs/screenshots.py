"""Take pictures of every page: three widths, light and dark.

``python docs/screenshots.py [FOLDER]`` writes all pictures into a folder, to be looked at; with
``--docs`` it also writes those of the documentation into ``docs/images``. It needs Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "tests" / "workbench")]

from playwright.sync_api import Browser, Page, expect, sync_playwright
from screenshot_projects import PASSWORD, PEOPLE, make, work
from serving import Site

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
ARGUMENTS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
FILES = Path(tempfile.mkdtemp())
SIZES = {1440: (1440, 900), 1024: (1024, 768), 390: (390, 844)}


def document(page: Page) -> None:
    expect(page.locator("#reading")).to_be_visible()
    expect(page.locator("#why-sentence")).not_to_be_empty()


def tree(page: Page) -> None:
    document(page)
    page.locator("#tree-panel > summary").click()
    expect(page.locator("#tree [role=treeitem]").first).to_be_visible()


def keys(page: Page) -> None:
    document(page)
    page.locator("[data-command=help]").first.dispatch_event("click")


def accuracy(page: Page) -> None:
    document(page)
    page.locator("#status > summary").click()


def new_project(page: Page) -> None:
    documents, train = (FILES / f"survey{end}.jsonl" for end in ("", "-train"))
    page.locator("#file-documents").set_input_files(documents)
    expect(page.locator('[data-part="documents"] .seen')).to_contain_text("400")
    page.locator("#file-train").set_input_files(train)
    expect(page.locator('[data-part="train"] .seen')).to_contain_text("130")


def managed(page: Page) -> None:
    expect(page.locator("#progress")).not_to_be_empty()
    expect(page.locator("#attention")).not_to_be_empty()


def loaded(page: Page) -> None:
    expect(page.locator("h1").first).to_be_visible()
    expect(page.locator("body:not([data-state=loading])")).to_be_visible()


class Shot(NamedTuple):
    """A picture: its name, the address, who sees it, and how the page gets into its state."""

    name: str
    path: str
    who: str = "max"
    prepare: Callable[[Page], None] = loaded
    whole: bool = False


SHOTS = (
    Shot("login", "/login", ""),
    Shot("projects", "/projects"),
    Shot("workbench", "/p/survey", "ann", document),
    Shot("accuracy", "/p/survey", "ann", accuracy),
    Shot("keys", "/p/survey", "ann", keys),
    Shot("one-label", "/p/tickets", "ann", document),
    Shot("tree", "/p/hospital", "ann", tree),
    Shot("many-classes", "/p/hospital", "ann", document),
    Shot("documents", "/p/survey/documents"),
    Shot("documents-found", "/p/survey/documents?q=the+phone&corrected=true"),
    Shot("disagreements", "/p/survey/disagreements"),
    Shot("manage", "/p/survey/manage", prepare=managed),
    Shot("manage-whole", "/p/survey/manage", prepare=managed, whole=True),
    Shot("settings", "/p/survey/settings"),
    Shot("people", "/people"),
    Shot("new", "/new", prepare=new_project),
    Shot("new-whole", "/new", prepare=new_project, whole=True),
    Shot("report", "/p/survey/report"),
    Shot("report-whole", "/p/survey/report", whole=True),
    Shot("certificate", "/p/tickets/certificate"),
    Shot("error", "/p/nonsense"),
)
# The pictures of the documentation: the shot, its width, and light or dark.
IMAGES = {
    "workbench.png": ("workbench", 1440, "light"),
    "workbench-dark.png": ("workbench", 1440, "dark"),
    "workbench-phone.png": ("workbench", 390, "light"),
    "tree.png": ("tree", 1440, "light"),
    "documents.png": ("documents-found", 1440, "light"),
    "disagreements.png": ("disagreements", 1440, "light"),
    "manage.png": ("manage", 1440, "light"),
    "new-project.png": ("new", 1440, "light"),
    "report.png": ("report", 1440, "light"),
    "certificate.png": ("certificate", 1440, "light"),
}


def file_name(name: str, width: int, scheme: str) -> str:
    return f"{name}-{width}-{scheme}.png"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "screenshots")
    options.add_argument("--docs", action="store_true", help="also write docs/images")
    options.add_argument("--only", nargs="*", help="names of pictures")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    path, truth, tokens = make(FILES)
    site = Site(path)
    try:
        work(site, truth, tokens)
        with sync_playwright() as playwright:
            path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
            wanted = [one for one in SHOTS if not given.only or one.name in given.only]
            take_all(browser, site, wanted, given.folder)
            browser.close()
    finally:
        site.stop()
    if given.docs:
        for image, of in IMAGES.items():
            shutil.copy(given.folder / file_name(*of), ROOT / "docs" / "images" / image)


def take_all(browser: Browser, site: Site, shots: list[Shot], folder: Path) -> None:
    """Take each picture at each size, light and dark."""
    known = {"": None} | {who: logged_in(browser, site, who) for who in PEOPLE}
    for width, (_, height) in SIZES.items():
        for scheme in ("light", "dark"):
            for who, state in known.items():
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,
                    storage_state=state,
                    is_mobile=width == 390,
                    has_touch=width == 390,
                )
                for shot in shots:
                    if shot.who == who:
                        name = file_name(shot.name, width, scheme)
                        take(context.new_page(), site, shot, folder / name)
                context.close()


def take(page: Page, site: Site, shot: Shot, path: Path) -> None:
    page.goto(site.url + shot.path)
    shot.prepare(page)
    page.wait_for_timeout(500)  # what the page asks for in the background
    page.screenshot(path=path, full_page=shot.whole)
    page.close()


def logged_in(browser: Browser, site: Site, who: str) -> dict:
    """Log somebody in, and return the cookies."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.url}/login")
    page.locator("[name=name]").fill(who)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url(lambda url: "/login" not in url)
    state = context.storage_state()
    context.close()
    return state


if __name__ == "__main__":
    main()
