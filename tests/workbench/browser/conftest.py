"""A browser, and small projects that it visits."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from functools import cache

import pytest
import sites
from explained_projects import explained
from playwright.sync_api import expect, sync_playwright
from printed_pages import PRINTED
from reader import Reader

from made import make
from needs import absent
from satc.code_book import Entry

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
ARGUMENTS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
# For each window Chromium prepares popups of the address bar and a spare process, which take longer
# than our page. This list replaces Playwright's, so it repeats the features that Playwright needs.
WITHOUT = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"]
WITHOUT += ["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose"]
WITHOUT += ["HttpsUpgrades", "MediaRouter", "OptimizationHints", "PaintHolding"]
ARGUMENTS += [f"--disable-features={','.join(WITHOUT)}"]
expect.set_options(timeout=20_000)  # the machine may be busy


def find_chromium():
    """Return the path of Chromium, or None; its headless shell, without windows, is faster."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


@pytest.fixture(scope="session")
def browser():
    """Start Chromium."""
    path = find_chromium()
    if path is None:
        absent("no browser: neither chromium-headless-shell nor chromium is installed")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


def by_header(request):
    """Whether people are logged in by a header in this test, which may be about passwords."""
    return sites.is_header_login() and request.node.get_closest_marker("passwords") is None


@pytest.fixture
def new_reader(browser, request):
    """Open a page with its own cookies for each person: ``new_reader()``."""
    contexts = []

    def made(locale="en-US"):
        window = {"width": 1280, "height": 900}
        context = browser.new_context(viewport=window, locale=locale, ignore_https_errors=True)
        contexts.append(context)
        return Reader(context.new_page(), by_header=by_header(request))

    yield made
    for context in contexts:
        context.close()


@pytest.fixture
def reader(new_reader):
    return new_reader()


TEXTS = [f"Text {i}: " + "a sentence of some length. " * 30 for i in range(20)]
HOSTILE = [f"{sites.HOSTILE} {i}" for i in range(6)]


def _stored(path):
    from stored_projects import make_stored  # it needs an engine

    return make_stored(make(14, 4, seed=2), path.parent, path, size=4)


def _explained(path, **more):
    explained(path, **more)
    return path


def _mesh(path):
    from satc.errors import DataError

    try:
        return sites.mesh(path)
    except DataError as error:
        absent(str(error))


def _sports(path):
    entries = [
        Entry("s", "Sport", "Games."),
        Entry("s1", sites.HOSTILE, sites.HOSTILE, ("s",), "w"),
        Entry("s2", "Chess", "A board game.", ("s", "h"), "c"),
        Entry("p", "Politics"),
        Entry("p1", "Elections", "Votes.", ("p",), synonyms=("ballots", "polls")),
        Entry("h", "Indoors", "Under a roof."),
    ]
    return sites.coded(path, entries, 5)


def _reversed(path):
    entries = [Entry("c", "Zebra"), Entry("b", "Monkey"), Entry("a", "Ant")]
    return sites.coded(path, entries, 3, names=("a", "b", "c"))


def _wide_tree(path):
    entries = [Entry("0", "All")]
    entries += [
        Entry(f"{i}", f"Class {i}", parents=(f"{(i - 1) // 1000}",)) for i in range(1, 2000)
    ]
    return sites.coded(path, entries, 2000, closed=True)


PROJECTS = {
    "mesh": _mesh,
    "sports": _sports,
    "reversed": _reversed,
    "wide-tree": _wide_tree,
    "explained": _explained,
    "explained-hostile": lambda path: _explained(
        path, more=sites.HOSTILE, opinion=sites.HOSTILE, task="multi-label"
    ),
    "plain": lambda path: sites.scored(path, TEXTS, 15),
    "small": lambda path: sites.scored(path, TEXTS[:2], 5),
    "wide": lambda path: sites.scored(path, TEXTS[:5], 10_000),
    "blind": lambda path: sites.scored(path, TEXTS, 15, blind=1.0),
    "hostile": lambda path: sites.scored(path, HOSTILE, 5),
    "worded": sites.learned,
    "chosen": lambda path: sites.scored(path, TEXTS, 15, decide="measure"),
    "stored": _stored,
    "used": sites.used,
    "disputed": sites.disputed,
    "repeated": sites.repeated,
    "team": sites.team,
    "two-projects": sites.two_projects,
    "tickets": sites.single,
    "intents": sites.intents,
    "few": lambda path: sites.single(path, 4, 3),
    "few-blind": lambda path: sites.single(path, 4, 3, blind=1.0),
    "survey": sites.surveyed,
    "cold": lambda path: sites.cold(path, audit=0.3),
    "cold-unaudited": sites.cold,
    "cold-known": lambda path: sites.cold(path, 60, audit=1.0),
}


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """Make a project, once per session: ``project("plain")``."""

    @cache
    def made(name):
        return PROJECTS[name](tmp_path_factory.mktemp(name) / f"{name}.satc")

    return made


@pytest.fixture(scope="session")
def printed(tmp_path_factory):
    """Make a printed page, once per session: ``printed("report")``."""

    @cache
    def made(name):
        return PRINTED[name](tmp_path_factory.mktemp("printed"))

    return made


@pytest.fixture(scope="session")
def shared_site(project, tmp_path_factory):
    """Serve a copy of a project until the session ends: ``shared_site("plain")``."""
    with ExitStack() as stack:

        @cache
        def served(name):
            folder = tmp_path_factory.mktemp("served")
            return stack.enter_context(sites.serving(project(name), folder))

        yield served


@pytest.fixture(scope="session")
def team_project(project, tmp_path_factory):
    """Make a project of ann and ben, once: hashing their passwords is slow."""
    copy = tmp_path_factory.mktemp("team") / "team.satc"
    return sites.with_people(project("plain"), copy, "ann", "ben", manager="meg")


def site_of(name):
    """Make a fixture that serves a copy of a project."""

    @pytest.fixture
    def served(project, tmp_path, request):
        with sites.serving(project(name), tmp_path, by_header=by_header(request)) as site:
            yield site

    return served


site = site_of("plain")
small_site = site_of("small")
wide_site = site_of("wide")
blind_site = site_of("blind")
hostile_site = site_of("hostile")
worded_site = site_of("worded")
stored_site = site_of("stored")
chosen_site = site_of("chosen")
tickets_site = site_of("tickets")
intents_site = site_of("intents")
few_site = site_of("few")
few_blind_site = site_of("few-blind")
survey_site = site_of("survey")
cold_site = site_of("cold")
cold_unaudited_site = site_of("cold-unaudited")
cold_known_site = site_of("cold-known")
explained_site = site_of("explained")
explained_hostile_site = site_of("explained-hostile")
mesh_site = site_of("mesh")
sports_site = site_of("sports")
reversed_site = site_of("reversed")
wide_tree_site = site_of("wide-tree")


@pytest.fixture
def team_site(team_project, tmp_path):
    with sites.serving(team_project, tmp_path) as site:
        yield site


@pytest.fixture
def team_survey_site(project, tmp_path):
    """Serve the survey to ann, ben and cai, who has not decided on anything."""
    copy = tmp_path / "people.satc"
    sites.with_people(project("survey"), copy, "ann", "ben", "cai", manager="meg")
    with sites.serving(copy, tmp_path) as site:
        yield site
