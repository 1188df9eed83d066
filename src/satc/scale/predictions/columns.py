"""What the columns of stored predictions tell: their kind, and the classes that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ibis

from satc.scale.engines import Engine
from satc.scale.predictions.by_class import ProbabilityCells, is_by_class
from satc.scale.predictions.cells import LABEL, LABELS, LabelCells, label_cells, labels_in
from satc.scale.predictions.confidences import COLUMNS
from satc.scale.predictions.numbers import VALUES
from satc.scale.predictions.opening import CONFIDENCES, OF_LABELS, SCORES, VOTES
from satc.scale.predictions.opening import LABELS as OF_NAMES
from satc.scale.predictions.votes import is_joined, voter_columns


def kind_of_columns(columns: Sequence[str]) -> str | None:
    """Return the kind of stored predictions; None if a column for each class can be anything.

    >>> kind_of_columns(["document", "class", "probability"])
    'probabilities'
    >>> kind_of_columns(["document", "labels", "confidence"])
    'confidences'
    """
    if "voter" in columns or len(voter_columns(columns)) > 1:
        return VOTES
    if LABEL in columns or LABELS in columns:
        return CONFIDENCES if has_confidences(columns) else OF_NAMES
    if "class" not in columns:
        return None
    told = {**{column: kind for kind, column in VALUES.items()}, "score": SCORES}
    found = [kind for column, kind in told.items() if column in columns]
    return found[0] if found else CONFIDENCES if has_confidences(columns) else None


def has_confidences(columns: Sequence[str]) -> bool:
    """Whether there is a column of confidences."""
    return any(name in columns for name in COLUMNS)


def classes_of_predictions(
    engine: Engine, table: Any, kind: str, separator: str
) -> tuple[str, ...]:
    """Return the classes that stored predictions name.

    The columns of a wide table are in their order. Otherwise the names are sorted; they are found
    in one pass over the columns of classes, labels or probabilities by class.
    """
    if "class" in table.columns:
        names = [table.select(name=table["class"].cast("string"))]
    elif kind not in OF_LABELS:
        return tuple(name for name in table.columns if name != "document")
    else:
        names = [_unnested(table, cells) for cells in _label_columns(table, separator)]
    given = _by_class(table) if kind == CONFIDENCES else None
    if given is not None and not given.fields:
        names.append(_unnested(table, LabelCells(given.names, True)))
    found = ibis.union(*names).distinct() if len(names) > 1 else names[0].distinct()
    rows = engine.run(found.filter(found.name.notnull()))
    return tuple(sorted({*rows["name"].to_pylist(), *(given.fields if given else ())}))


def _by_class(table: Any) -> ProbabilityCells | None:
    """Return the column of probabilities by class, or None."""
    value = next((name for name in COLUMNS if name in table.columns), None)
    if value is None or not is_by_class(table[value].type()):
        return None
    return ProbabilityCells(table[value])


def _label_columns(table: Any, separator: str) -> list[LabelCells]:
    labels = labels_in(table, separator)
    if labels is not None:
        return [labels]
    voters = voter_columns(table.columns)
    return [label_cells(table, name, separator, joined=is_joined(name)) for name in voters]


def _unnested(table: Any, cells: LabelCells) -> Any:
    """Expression: a row for each label."""
    return table.select(name=cells.column.unnest() if cells.is_list else cells.column)
