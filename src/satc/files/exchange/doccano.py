"""Documents for doccano as JSON lines, and its exports.

doccano keeps what it does not know as the document's metadata and gives it back, in some versions
with a number of its own in `id`; so the document's id is also in `satc_id`. It does not say who
chose the labels, and gives back the labels that came with a document as if a person had chosen
them. So documents that went out with the classifier's labels and come back with them are not
taken for decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.exchange import fields
from satc.files.exchange.columns import OURS, ours, renamed
from satc.files.exchange.json_objects import write_lines
from satc.files.exchange.record import Finished, Record
from satc.files.rows import Row, rows

# The names that doccano gives a meaning of its own, and ours.
_TAKEN = frozenset({"id", "text", "satc_id", *OURS, "label", "labels", "data", "categories"})
_LABELS = ("label", "labels")


def write_doccano(records: Iterable[Record], path: Path) -> int:
    """Write a document per line with its final labels; return how many there were."""
    return write_lines(map(example, records), path)


def example(record: Record) -> dict[str, Any]:
    """Return a record as one of doccano's examples."""
    own = {k: v for k, v in ours(record).items() if v is not None and k != "satc_labels"}
    return {
        "id": record.id,
        "text": record.text,
        "label": list(record.labels),
        "satc_id": record.id,
        **renamed(record.columns, _TAKEN),
        **own,
    }


def read_doccano(path: Path) -> Iterator[Finished]:
    """Yield the documents of a JSON lines export as decisions; by whom is not known.

    Documents that still have the classifier's labels are left out: nobody need have looked at them.
    """
    for row in rows(path):
        finished = _finished(row)
        predicted = row.values.get("satc_predicted")
        untouched = isinstance(predicted, list) and _same(finished.labels, predicted)
        if not (untouched and row.values.get("satc_source") == "automatic"):
            yield finished


def _same(labels: Iterable[str], predicted: list[Any]) -> bool:
    return set(labels) == {name if isinstance(name, str) else None for name in predicted}


def _finished(row: Row) -> Finished:
    where, values = row
    key = "satc_id" if "satc_id" in values else "id"
    identity = fields.identity(fields.of(values, key, where), key, where)
    for name in _LABELS:
        if name in values:
            return Finished(identity, _names(values[name], name, where), None, None, where)
    raise DataError(
        f"{where} must have 'label' or 'labels', "
        f"but has {', '.join(map(repr, values)) or 'nothing'}"
    )


def _names(value: Any, name: str, where: str) -> tuple[str, ...]:
    return fields.names([value] if isinstance(value, str) else value, name, where)
