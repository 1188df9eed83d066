"""`ImportedDecision`: the labels that a person chose in another program, read from a row."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files import fields
from satc.files.documents import LABEL, LABELS
from satc.files.exchange.columns import ONE, SEVERAL
from satc.files.exchange.exported_document import SOURCES
from satc.files.formats.rows import Row

ONE_LABEL = (ONE.labels, LABEL)  # columns that hold one label
_COLUMNS = (SEVERAL.labels, ONE.labels, LABELS, LABEL)


class ImportedDecision(NamedTuple):
    """A person's decision on a document.

    Attributes
    ----------
    id, labels
        The document's id, and the labels that the person chose.
    who, when
        The person and the time; None where the file does not say.
    where
        The position in the file, for error messages: "annotations.json, task 3".
    """

    id: str
    labels: tuple[str, ...]
    who: str | None
    when: datetime | None
    where: str


def decision_of_row(row: Row) -> ImportedDecision | None:
    """Return the decision of a row, or None where the labels are the predicted ones."""
    where, values = row
    column = labels_column_of(row)
    source = values.get("satc_source", "human")
    if source not in SOURCES:
        raise DataError(
            f"{where}: 'satc_source' must be one of {', '.join(map(repr, SOURCES))}, "
            f"but is {source!r:.80}"
        )
    decision = ImportedDecision(
        fields.document_id(fields.required(values, "id", where), "id", where),
        fields.label_names(_as_list(values[column], column), column, where),
        fields.person(values.get("satc_validated_by"), "satc_validated_by", where),
        fields.timestamp(values.get("satc_validated_at"), "satc_validated_at", where),
        where,
    )
    return decision if source == "human" else None


def labels_column_of(row: Row) -> str:
    """Return the name of the column that holds the final labels."""
    for name in _COLUMNS:
        if name in row.values:
            return name
    raise DataError(
        f"{row.where} must have {', '.join(map(repr, _COLUMNS[:-1]))} or {_COLUMNS[-1]!r}, "
        f"but has {', '.join(map(repr, row.values)) or 'nothing'}; --label-columns and "
        "--labels-column read labels from several columns"
    )


def _as_list(value: Any, column: str) -> Any:
    """Return the label of a column that holds one label as a list; empty cells have none."""
    if column not in ONE_LABEL or isinstance(value, list):
        return value
    if isinstance(value, int) and not isinstance(value, bool):  # the number of a class
        return [str(value)]
    if column == LABEL and isinstance(value, str):  # written by hand, perhaps
        value = value.strip()
    return [] if value is None or value == "" else [value]
