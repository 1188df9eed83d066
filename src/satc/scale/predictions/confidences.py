"""Labels with confidences, which are numbers from 0 to 1 or words, as scores.

*A row for each document*: ``document``, ``label`` or ``labels``, and ``confidence``, which holds
for all labels of the row, or is a list with one for each label. *A row for each label*:
``document``, ``class``, ``confidence``; where the class is null, the confidence is that the
document has no label. The scores are those of `satc.predictions.from_confidences`.
"""

from __future__ import annotations

from typing import Any

import ibis

from satc.errors import DataError
from satc.inputs import SINGLE_LABEL
from satc.predictions.confidences import LEAST, WORDS
from satc.predictions.probabilities import UNNAMED
from satc.scale.engines import Engine
from satc.scale.exact import number
from satc.scale.predictions.cells import (
    LabelCells,
    labels_in,
    not_a_class,
    not_one_label,
    refuse_first,
    split,
    stripped,
    two_rows,
)
from satc.scale.predictions.numbers import clipped, log_odds

COLUMNS = ("confidence", "confidences")
_NONE = "none"  # column: the confidence that a document has no label
_ONLY = "only"  # column: the confidence of the only label, for a single-label task


def scores_of_confidences(
    engine: Engine, table: Any, classes: tuple[str, ...], task: str, separator: str
) -> Any:
    """Expression: a wide table of scores."""
    columns = table.columns
    value = next((name for name in COLUMNS if name in columns), None)
    labels = labels_in(table, separator)
    if value is None or "document" not in columns or ("class" not in columns and labels is None):
        raise DataError(
            "confidences must have the columns document, confidence, and label, labels or class, "
            f"but have {', '.join(columns)}"
        )
    if labels is None or "class" in columns:
        stated = _of_classes(engine, table, value, classes, task)
    else:
        rows = _rows(table, labels, value, separator)
        _check_rows(engine, rows, LabelCells(rows.labels, labels.is_list), classes, task)
        stated = _of_rows(rows, LabelCells(rows.labels, labels.is_list), classes)
    score = _one_label_score if task == SINGLE_LABEL else _score
    return stated.select(
        "document",
        **{name: score(stated, stated[_place(j)], len(classes)) for j, name in enumerate(classes)},
    )


def _place(j: int) -> str:
    """Return the name of a column: the confidence of the label of class j, null without it."""
    return f"p{j}"


def _score(stated: Any, p: Any, n_classes: int) -> Any:
    """Expression: the score of a class, positive if it is a label, however small its confidence."""
    left = (1.0 - stated[_NONE]) / n_classes
    other = ibis.coalesce(left, number(UNNAMED))
    return ibis.ifelse(
        p.notnull(),
        ibis.greatest(log_odds(p), number(LEAST) * (0.5 + p)),
        ibis.least(log_odds(other), number(-LEAST) * (1.5 - other)),
    )


def _one_label_score(stated: Any, p: Any, n_classes: int) -> Any:
    """Expression: the score of a class, the largest if it is the label; the others share the rest.

    The confidence may be so small that the others are more probable.
    """
    share = (1.0 - stated[_ONLY]) / max(n_classes - 1, 1)
    other = clipped(share).ln()
    return ibis.ifelse(p.notnull(), ibis.greatest(clipped(p).ln(), other + number(LEAST)), other)


def _of_classes(engine: Engine, table: Any, value: str, classes: tuple[str, ...], task: str) -> Any:
    """Expression: the confidences of each document, from a row for each label."""
    name = LabelCells(table["class"].cast("string"), False)
    rows = table.select(
        "document",
        name=name.column,
        unknown=name.unknown(classes),
        p=_probability(table[value]),
        shown=_shown(table[value]),
    )
    found = rows.group_by("document").aggregate(
        n=rows.count(),
        least=rows.name.nunique(),
        unknown=rows.unknown.max(),
        wrong=_where(rows.p.isnan(), rows.shown).max(),
    )
    found = found.mutate(most=found.least, missing=False, uneven=False)
    found = found.mutate(repeated=found.n > ibis.greatest(found.least, 1))
    _refuse(engine, found, task)
    places = {_place(j): _where(rows.name == one, rows.p).max() for j, one in enumerate(classes)}
    none = _where(rows.name.isnull(), rows.p).max()
    return rows.group_by("document").aggregate(**places, **{_NONE: none, _ONLY: rows.p.max()})


def _rows(table: Any, labels: LabelCells, value: str, separator: str) -> Any:
    """Expression: document, labels, and their confidences as a number or as a list."""
    cells = table[value]
    if cells.type().is_array() and not labels.is_list:
        raise DataError(f"{value} must hold a number or a word beside label, but holds lists")
    if labels.is_list and cells.type().is_string():
        cells = split(cells, separator)
    p = cells.map(_probability) if cells.type().is_array() else _probability(cells)
    rows = table.select("document", labels=labels.column, p=p, shown=_shown(table[value]))
    return rows.view()  # a separate view, so that the SQL contains each expression only once


def _check_rows(
    engine: Engine, rows: Any, labels: LabelCells, classes: tuple[str, ...], task: str
) -> None:
    """Refuse what cannot be a document with labels and their confidences."""
    uneven, wrong = _faults(rows, labels)
    checked = rows.select(
        "document",
        n=labels.n_labels,
        missing=~labels.is_given,
        unknown=labels.unknown(classes),
        uneven=uneven.fill_null(True),
        wrong=_where(wrong.fill_null(True), rows.shown),
    )
    found = checked.group_by("document").aggregate(
        **{name: checked[name].any() for name in ("missing", "uneven")},
        **{name: checked[name].max() for name in ("unknown", "wrong")},
        least=checked.n.min(),
        most=checked.n.max(),
        rows=checked.count(),
    )
    found = found.mutate(n=found["rows"], repeated=found["rows"] > 1)
    _refuse(engine, found, task)


def _faults(rows: Any, labels: LabelCells) -> tuple[Any, Any]:
    """Expressions: whether confidences are too many or too few, and whether one is no number."""
    if not rows.p.type().is_array():
        return ibis.literal(False), rows.p.isnan()
    uneven = (rows.p.length() != labels.n_labels) & ~_holds_for_all(rows)
    return uneven, rows.p.filter(lambda one: one.isnan()).length() > 0


def _of_rows(rows: Any, labels: LabelCells, classes: tuple[str, ...]) -> Any:
    """Expression: the confidences of each document, from a row for each document."""
    p = rows.p
    if not p.type().is_array():
        places = {_place(j): _where(labels.has(name), p) for j, name in enumerate(classes)}
        return rows.select(
            "document", **places, **{_NONE: _where(labels.n_labels == 0, p), _ONLY: p}
        )
    first = _where(p.length() > 0, p[0])
    places = {
        _place(j): _where(
            labels.has(name),
            ibis.ifelse(_holds_for_all(rows), first, p[labels.column.index(name).cast("int32")]),
        )
        for j, name in enumerate(classes)
    }
    none = _where((labels.n_labels == 0) & _holds_for_all(rows), first)
    return rows.select("document", **places, **{_NONE: none, _ONLY: first})


def _holds_for_all(rows: Any) -> Any:
    """Expression: whether the only confidence of a row is that of all its labels, or of none."""
    return rows.p.length() == 1


def _refuse(engine: Engine, found: Any, task: str) -> None:
    """Refuse documents with several rows, unknown labels, or confidences that are no numbers."""
    faulty = (
        found.repeated
        | found.missing
        | found.uneven
        | found.unknown.notnull()
        | found.wrong.notnull()
    )
    if task == SINGLE_LABEL:
        faulty |= (found.least != 1) | (found.most != 1)
    refuse_first(engine, found.filter(faulty), _explain)


def _explain(row: dict[str, Any]) -> str:
    document = row["document"]
    if row["unknown"] is not None:
        return not_a_class(row["unknown"], document)
    if row["repeated"]:
        return two_rows("confidences", document, row["n"])
    if row["missing"]:
        return f"labels must be given ([] for none), but document {document!r} has null"
    if row["wrong"] is not None:
        return (
            f"confidences must be from 0 to 1, or one of {', '.join(WORDS)}, but document "
            f"{document!r} has {row['wrong']!r:.80}"
        )
    if row["uneven"]:
        return (
            "confidences must be one for all labels or one for each different label, but document "
            f"{document!r} has another number of them"
        )
    return not_one_label("confidences", document)


def _where(condition: Any, value: Any) -> Any:
    """Expression: a value where the condition is true, otherwise null."""
    return ibis.ifelse(condition, value, ibis.null(value.type()))


def _shown(cells: Any) -> Any:
    """Expression: the text of a cell, for messages."""
    if cells.type().is_array():
        cells = cells.map(lambda one: one.cast("string").fill_null("null")).join(", ")
    return cells.cast("string").fill_null("null")


def _probability(cell: Any) -> Any:
    """Expression: a number from 0 to 1 for a number, "80%" or a word; NaN for everything else."""
    value = cell.cast("float64") if cell.type().is_numeric() else _of_text(cell)
    return ibis.ifelse(value.between(0.0, 1.0).fill_null(False), value, number(float("nan")))


def _of_text(cell: Any) -> Any:
    """Expression: the number that a text means, or null."""
    text = stripped(cell.cast("string")).lower()
    words = [(word, number(p)) for word, p in WORDS.items()]
    percent = text.substr(0, text.length() - 1).try_cast("float64") / 100.0
    plain = ibis.ifelse(text.endswith("%"), percent, text.try_cast("float64"))
    return text.cases(*words, else_=plain)
