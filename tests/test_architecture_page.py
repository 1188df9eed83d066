"""docs/architecture.md names every file of the package, no other file, and the layers."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "satc"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
KINDS = {".py", ".js", ".css", ".html", ".svg", ".tsv"}
# A code span that can only be a path: it ends with a folder or with the ending of a file.
PATH = re.compile(r"(?:[\w.-]+/)+|[\w./-]+\.(?:py|js|css|html|svg|tsv|toml|md)")


def rooms():
    """The folder of each section of the page, relative to the package, and the section's text."""
    chapter = PAGE.partition("\n## Rooms\n")[2].partition("\n## ")[0]
    for section in re.split(r"^### ", chapter, flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        folder = re.fullmatch(r"`([\w/]+/)`", heading)
        if not heading.startswith("Outside"):
            yield folder[1] if folder else "", text


def listed():
    """The files in the tables of the rooms."""
    for folder, text in rooms():
        for name in re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE):
            yield folder + name


def files():
    for path in PACKAGE.rglob("*"):
        if path.suffix in KINDS and "__pycache__" not in path.parts:
            yield path.relative_to(PACKAGE).as_posix()


def test_every_file_of_the_package_is_in_the_table_of_its_room():
    described_by_their_room = {name for name in files() if name.endswith("__init__.py")}
    missing = set(files()) - described_by_their_room - set(listed())
    assert not missing, "docs/architecture.md must name these files"


def test_every_listed_file_exists_and_is_listed_once():
    count = Counter(listed())
    assert len(count) > 200
    unknown = set(count) - set(files())
    assert not unknown, "these files do not exist"
    assert not [name for name, times in count.items() if times > 1]


def test_every_path_on_the_page_exists():
    outside = PAGE
    for _, text in rooms():
        outside = outside.replace(text, "")
    spans = [span for span in re.findall(r"`([^`]+)`", outside) if PATH.fullmatch(span)]
    assert len(spans) > 150
    homes = (PACKAGE, PACKAGE.parent, ROOT)
    assert not [span for span in spans if not any((home / span).exists() for home in homes)]


def test_the_layers_are_those_that_import_linter_checks():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    page = " ".join(PAGE.split())
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = [" > ".join(one["layers"]) for one in contracts if one["type"] == "layers"]
    assert len(layers) >= 4
    assert not [one for one in layers if f"`{one}`" not in page]
