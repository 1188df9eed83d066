"""The costs of wrong actions, as a table: a row for each action, a column for each right action.

action,produce,log,withhold
produce,0,600,5
log,150,0,3
withhold,15,15,0
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.documents import PathLike
from satc.files.formats.reader import read_rows

ACTIONS = ("produce", "log", "withhold")  # as satc.review_stages has them
_COLUMN = "action"


def read_review_costs(path: PathLike) -> list[list[float]]:
    """Read the costs of each action (row) where each action would be right (column)."""
    path = Path(path)
    with closing(read_rows(path)) as rows:
        found = {}
        for where, values in rows:
            name = str(values.get(_COLUMN, "")).strip()
            if name not in ACTIONS or name in found:
                raise DataError(
                    f"{where}: {_COLUMN!r} must be each of {', '.join(ACTIONS)} once, but is "
                    f"{name!r:.80}"
                )
            found[name] = [_cost(values.get(right), right, where) for right in ACTIONS]
    missing = [name for name in ACTIONS if name not in found]
    if missing:
        raise DataError(f"{path} must have a row for the action {missing[0]!r}, but has none")
    return [found[name] for name in ACTIONS]


def _cost(value: Any, right: str, where: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise DataError(f"{where}: {right!r} must be a number, but is {value!r:.80}") from None
