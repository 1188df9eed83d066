"""The columns of an exported document: those of the input, and satc's with the prefix ``satc_``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from satc.files.exchange.exported_document import ExportedDocument, iso_time

SATC_COLUMNS = (
    "satc_labels",
    "satc_predicted",
    "satc_source",
    "satc_rank",
    "satc_validated_by",
    "satc_validated_at",
    "satc_flagged",
    "satc_note",
)
CLASSIFIER = "satc_classifier_labels"  # only where labels were chosen for a measure
RESERVED = ("id", "text", *SATC_COLUMNS, CLASSIFIER)
_SUFFIX = "_input"


def row_of(document: ExportedDocument) -> dict[str, Any]:
    """Return all columns of a document.

    >>> list(row_of(ExportedDocument("1", "a", {"year": 1987, "satc_note": "x"})))[:5]
    ['id', 'text', 'year', 'satc_note_input', 'satc_labels']
    """
    return {
        "id": document.id,
        "text": document.text,
        **rename_taken(document.columns, RESERVED),
        **satc_columns(document),
    }


def satc_columns(document: ExportedDocument) -> dict[str, Any]:
    """Return the columns of a document that the input does not have.

    They are named by `SATC_COLUMNS`. `CLASSIFIER` follows if the classifier's own labels are known.
    """
    values = (
        list(document.labels),
        list(document.predicted),
        document.source,
        document.rank,
        document.who,
        iso_time(document.when),
        document.flagged,
        document.note,
    )
    own = dict(zip(SATC_COLUMNS, values, strict=True))
    if document.classifier_labels is None:
        return own
    return own | {CLASSIFIER: list(document.classifier_labels)}


def rename_taken(columns: Mapping[Any, Any], taken: Collection[str]) -> dict[str, Any]:
    """Add a suffix to the columns whose names are taken; no two columns get the same name.

    >>> rename_taken({"id": 1, "id_input": 2, "year": 3}, {"id"})
    {'id_input': 1, 'id_input_input': 2, 'year': 3}
    """
    return {_free_name(str(name), taken): value for name, value in columns.items()}


def _free_name(name: str, taken: Collection[str]) -> str:
    stem = name
    while stem.endswith(_SUFFIX):
        stem = stem.removesuffix(_SUFFIX)
    return name + _SUFFIX if stem in taken else name
