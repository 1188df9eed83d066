"""Documents for doccano as JSON lines, and decisions from its exports.

doccano keeps unknown fields as the document's metadata and returns them; some versions replace `id`
by a number of their own, so the document's id is also in `satc_id`. doccano does not say who chose
the labels, and it returns the labels of an import as if a person had chosen them. So a document
that returns with the predicted labels unchanged is not taken for a decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files import fields
from satc.files.atomic import output_file
from satc.files.exchange.columns import ONE, SEVERAL, Layout, rename_taken, satc_columns
from satc.files.exchange.exported_document import ExportedDocument
from satc.files.exchange.imported_decision import ImportedDecision
from satc.files.formats.json_lines import write_json_lines
from satc.files.formats.reader import read_rows
from satc.files.formats.rows import Row
from satc.files.values import to_json

_LABELS = ("label", "labels")
# Names that have a meaning in doccano, and satc's own.
_TAKEN = frozenset({"satc_id", *_LABELS, "data", "categories"})


def write_doccano(
    documents: Iterable[ExportedDocument], path: Path, layout: Layout = SEVERAL
) -> int:
    """Write a document per line with its final labels; return the number of documents."""
    with output_file(path) as temporary:
        return write_json_lines(temporary, (to_json(example(one, layout)) for one in documents))


def example(document: ExportedDocument, layout: Layout = SEVERAL) -> dict[str, Any]:
    """Return a document as one of doccano's examples; `label` is a list, also of one label."""
    own = satc_columns(document, layout)
    del own[layout.labels]  # they are in `label`
    return {
        "id": document.id,
        "text": document.text,
        "label": list(document.labels),
        "satc_id": document.id,
        **rename_taken(document.columns, _TAKEN.union(layout.reserved)),
        **{name: value for name, value in own.items() if value is not None},
    }


def read_doccano(path: Path) -> Iterator[ImportedDecision]:
    """Yield the documents of a JSON lines export as decisions, without a person.

    Documents that still have the predicted labels are left out: perhaps nobody looked at them.
    """
    for row in read_rows(path):
        decision = _decision(row)
        predicted = row.values.get(SEVERAL.predicted, row.values.get(ONE.predicted))
        if isinstance(predicted, str):
            predicted = [predicted]
        unchanged = isinstance(predicted, list) and _same(decision.labels, predicted)
        if not (unchanged and row.values.get("satc_source") == "automatic"):
            yield decision


def _same(labels: Iterable[str], predicted: list[Any]) -> bool:
    return set(labels) == {name if isinstance(name, str) else None for name in predicted}


def _decision(row: Row) -> ImportedDecision:
    where, values = row
    key = "satc_id" if "satc_id" in values else "id"
    identity = fields.document_id(fields.required(values, key, where), key, where)
    for name in _LABELS:
        if name in values:
            labels = _label_names(values[name], name, where)
            return ImportedDecision(identity, labels, None, None, where)
    raise DataError(
        f"{where} must have 'label' or 'labels', "
        f"but has {', '.join(map(repr, values)) or 'nothing'}"
    )


def _label_names(value: Any, name: str, where: str) -> tuple[str, ...]:
    return fields.label_names([value] if isinstance(value, str) else value, name, where)
