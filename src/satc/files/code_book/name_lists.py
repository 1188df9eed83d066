"""Lists of the names of classes: one per line, or a JSON list of strings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.formats.json_texts import parse_json
from satc.files.small_files import read_text


def read_names(path: Path) -> tuple[str, ...]:
    """Read the names of classes: one per line, or a JSON list of strings."""
    text = read_text(path)
    names: Any = text.splitlines()
    if path.suffix.lower() == ".json" or text.lstrip().startswith("["):
        names = parse_json(text, f'{path} must be JSON such as ["refund", "fee"]')
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError(f'{path} must be a name per line, or JSON such as ["refund", "fee"]')
    found = [name.strip() for name in names if name.strip()]
    if not found:
        raise DataError(f"{path} must name at least one class, but names none")
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise DataError(f"{path} must name every class once, but names {twice!r} twice")
    return tuple(found)
