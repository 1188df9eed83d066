"""The catalogue: one folder for each language, in it one JSON file for each area of the pages.

A file is a flat object. A text is a string, or an object with the plural forms of the language
("one", "other", ...), of which the value `n` chooses one. The key `found` of the file
`documents.json` is called `documents.found`. A text that has not been translated is English.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from satc.workbench.messages.languages import ENGLISH

FOLDER = Path(__file__).parent
Text = str | dict[str, str]


def areas() -> list[str]:
    """Return the names of all areas."""
    return sorted(path.stem for path in (FOLDER / ENGLISH).glob("*.json"))


@cache
def texts_of(language: str, area: str) -> dict[str, Text]:
    """Return the texts of an area by key, with the name of the area in front."""
    english = _read(ENGLISH, area)
    return {f"{area}.{key}": text for key, text in {**english, **_read(language, area)}.items()}


def find_text(language: str, key: str) -> Text:
    """Return one text.

    Raises
    ------
    KeyError
        If the catalogue has no such key.
    """
    return texts_of(language, key.partition(".")[0])[key]


def _read(language: str, area: str) -> dict[str, Text]:
    path = FOLDER / language / f"{area}.json"
    if not path.exists():
        return {}
    found: dict[str, Text] = json.loads(path.read_text(encoding="utf-8"))
    return found
