"""Labels without probabilities, such as those of a language model, as scores.

One row for each document: ``document``, and ``label`` (a name) or ``labels`` (a list of names,
which may be empty, or a text that joins them). The scores are those of
`satc.predictions.from_labels`.
"""

from __future__ import annotations

from typing import Any

import ibis

from satc.errors import DataError
from satc.inputs import SINGLE_LABEL
from satc.scale.engines import Engine
from satc.scale.predictions.cells import (
    LabelCells,
    labels_in,
    not_a_class,
    not_one_label,
    refuse_first,
    two_rows,
)


def scores_of_labels(
    engine: Engine, table: Any, classes: tuple[str, ...], task: str, separator: str
) -> Any:
    """Expression: a wide table of scores, 1 for a label and -1 otherwise."""
    labels = labels_in(table, separator)
    if labels is None or "document" not in table.columns:
        raise DataError(
            "labels must have the column document, and label (a name) or labels (a list of names), "
            f"but have {', '.join(table.columns)}"
        )
    _check(engine, table, labels, classes, task)
    nothing = ibis.null("float64")
    scores = {name: ibis.ifelse(labels.has(name), 1.0, -1.0) for name in classes}
    return table.select(
        "document",
        **{name: ibis.ifelse(labels.is_given, score, nothing) for name, score in scores.items()},
    )


def _check(
    engine: Engine, table: Any, labels: LabelCells, classes: tuple[str, ...], task: str
) -> None:
    """Refuse repeated documents, unknown labels, and several labels in a single-label task."""
    rows = table.select("document", unknown=labels.unknown(classes), labels=labels.n_labels)
    found = rows.group_by("document").aggregate(
        n=rows.count(), unknown=rows.unknown.max(), least=rows.labels.min(), most=rows.labels.max()
    )
    faulty = (found.n > 1) | found.unknown.notnull()
    if task == SINGLE_LABEL:
        faulty |= (found.least != 1) | (found.most != 1)
    refuse_first(engine, found.filter(faulty), _explain)


def _explain(row: dict[str, Any]) -> str:
    if row["unknown"] is not None:
        return not_a_class(row["unknown"], row["document"])
    if row["n"] > 1:
        return two_rows("labels", row["document"], row["n"])
    return not_one_label("labels", row["document"])
