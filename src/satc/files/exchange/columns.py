"""A record as a row: the input's columns, and ours beside them with the prefix ``satc_``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from satc.files.exchange.record import Record, iso

OURS = (
    "satc_labels",
    "satc_predicted",
    "satc_source",
    "satc_rank",
    "satc_validated_by",
    "satc_validated_at",
    "satc_flagged",
    "satc_note",
)
_SUFFIX = "_input"


def row(record: Record) -> dict[str, Any]:
    """Return the columns of a record.

    >>> list(row(Record("1", "a", {"year": 1987, "satc_note": "x"})))[:5]
    ['id', 'text', 'year', 'satc_note_input', 'satc_labels']
    """
    return {
        "id": record.id,
        "text": record.text,
        **renamed(record.columns, ("id", "text", *OURS)),
        **ours(record),
    }


def ours(record: Record) -> dict[str, Any]:
    """Return what is known of a document beyond the input, by the names of `OURS`."""
    values = (
        list(record.labels),
        list(record.predicted),
        record.source,
        record.rank,
        record.who,
        iso(record.when),
        record.flagged,
        record.note,
    )
    return dict(zip(OURS, values, strict=True))


def renamed(columns: Any, taken: Collection[str]) -> dict[str, Any]:
    """Give a suffix to the columns whose names are taken; no two ever get the same name.

    >>> renamed({"id": 1, "id_input": 2, "year": 3}, {"id"})
    {'id_input': 1, 'id_input_input': 2, 'year': 3}
    """
    return {_free(str(name), taken): value for name, value in columns.items()}


def _free(name: str, taken: Collection[str]) -> str:
    stem = name
    while stem.endswith(_SUFFIX):
        stem = stem.removesuffix(_SUFFIX)
    return name + _SUFFIX if stem in taken else name
