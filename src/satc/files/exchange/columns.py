"""The columns of an exported document: those of the input, and satc's with the prefix ``satc_``.

Columns of labels hold lists, under names in the plural. Where every document has exactly one label,
they hold this label, under names in the singular (`Layout`). The final labels may also be in
several columns, of the names that a `shape` gives.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from satc.files.exchange.exported_document import ExportedDocument, iso_time
from satc.files.labels.column_names import INPUT
from satc.files.labels.shapes import Shape, check_input
from satc.inputs import MULTI_LABEL, SINGLE_LABEL

_OTHERS = (
    "satc_source",
    "satc_rank",
    "satc_validated_by",
    "satc_validated_at",
    "satc_flagged",
    "satc_note",
)


class Layout(NamedTuple):
    """The names of the columns of labels, and whether they hold one label or a list.

    `classifier` is only there where labels were chosen for a measure. With a `shape`, the final
    labels are in several columns in the place of `labels`.
    """

    labels: str
    predicted: str
    classifier: str
    is_single: bool
    shape: Shape | None = None

    @property
    def final(self) -> tuple[str, ...]:
        """The columns of the final labels."""
        return (self.labels,) if self.shape is None else self.shape.columns

    @property
    def satc_columns(self) -> tuple[str, ...]:
        """The columns that each document has beside those of the input."""
        return (*self.final, self.predicted, *_OTHERS)

    @property
    def label_columns(self) -> tuple[str, ...]:
        """The columns that hold labels, or lists of them."""
        own = (self.labels, self.predicted, self.classifier)
        return own if self.shape is None else own[1:]

    @property
    def reserved(self) -> tuple[str, ...]:
        """The names that a column of the input must not have."""
        own = ("id", "text", self.labels, *self.satc_columns, self.classifier)
        return (*own, *SEVERAL.label_columns) if self.is_single else own

    def value(self, labels: Sequence[str], document: ExportedDocument) -> list[str] | str:
        """Return labels as the value of a column."""
        if not self.is_single:
            return list(labels)
        if len(labels) != 1:
            raise ValueError(
                "labels must be exactly one for each document of a single-label task, but "
                f"document {document.id!r} has {len(labels)}"
            )
        return labels[0]


SEVERAL = Layout("satc_labels", "satc_predicted", "satc_classifier_labels", False)
ONE = Layout("satc_label", "satc_predicted_label", "satc_classifier_label", True)
LAYOUTS = {MULTI_LABEL: SEVERAL, SINGLE_LABEL: ONE}


def row_of(document: ExportedDocument, layout: Layout = SEVERAL) -> dict[str, Any]:
    """Return all columns of a document.

    >>> list(row_of(ExportedDocument("1", "a", {"year": 1987, "satc_note": "x"})))[:5]
    ['id', 'text', 'year', 'satc_note_input', 'satc_labels']
    """
    if layout.shape is not None:
        check_input(layout.shape, tuple(document.columns))
    return {
        "id": document.id,
        "text": document.text,
        **rename_taken(document.columns, layout.reserved),
        **satc_columns(document, layout),
    }


def satc_columns(document: ExportedDocument, layout: Layout = SEVERAL) -> dict[str, Any]:
    """Return the columns of a document that the input does not have.

    That of the classifier's own labels is there only if these are known.
    """
    values = (
        *_final_cells(document, layout),
        layout.value(document.predicted, document),
        document.source,
        document.rank,
        document.who,
        iso_time(document.when),
        document.flagged,
        document.note,
    )
    own = dict(zip(layout.satc_columns, values, strict=True))
    if document.classifier_labels is None:
        return own
    return own | {layout.classifier: layout.value(document.classifier_labels, document)}


def _final_cells(document: ExportedDocument, layout: Layout) -> tuple[Any, ...]:
    """Return the cells of the final labels, in the order of `layout.final`."""
    value = layout.value(document.labels, document)
    if layout.shape is None:
        return (value,)
    return tuple(layout.shape.cells(document.labels, document.id).values())


def rename_taken(columns: Mapping[Any, Any], taken: Collection[str]) -> dict[str, Any]:
    """Add a suffix to the columns whose names are taken; no two columns get the same name.

    >>> rename_taken({"id": 1, "id_input": 2, "year": 3}, {"id"})
    {'id_input': 1, 'id_input_input': 2, 'year': 3}
    """
    suffixes = _taken_suffixes(tuple(taken))
    return {_free_name(str(name), suffixes): value for name, value in columns.items()}


@lru_cache(maxsize=8)
def _taken_suffixes(taken: tuple[str, ...]) -> dict[str, str]:
    """Return, for each stem of a taken name, the suffix that makes every name with it free."""
    found: dict[str, str] = {}
    for name in taken:
        stem = _stem(name)
        found[stem] = max(found.get(stem, ""), name[len(stem) :] + INPUT, key=len)
    return found


def _free_name(name: str, suffixes: Mapping[str, str]) -> str:
    return name + suffixes.get(_stem(name), "")


def _stem(name: str) -> str:
    while name.endswith(INPUT):
        name = name.removesuffix(INPUT)
    return name
