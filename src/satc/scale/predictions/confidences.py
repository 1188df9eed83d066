"""Labels with confidences, which are numbers from 0 to 1 or words.

*A row for each document*: ``document``, ``label`` or ``labels``, and ``confidence``. A confidence
holds for all labels of the row, is a list with one for each label, or has the probabilities of
classes (`by_class`). *A row for each label*: ``document``, ``class``, ``confidence``; where the
class is null, the confidence is that the document has no label.
"""

from __future__ import annotations

from typing import Any

import ibis

from satc.errors import DataError
from satc.inputs import SINGLE_LABEL
from satc.predictions.confidences import WORDS
from satc.scale.engines import Engine
from satc.scale.exact import number
from satc.scale.predictions.by_class import ProbabilityCells, is_by_class
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
from satc.scale.predictions.stated import NONE, has, place, scores_of_stated

COLUMNS = ("confidence", "confidences", "probabilities", "probability", "score", "scores")
_OUTSIDE = "a number outside 0 to 1"


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
    elif is_by_class(table[value].type()):
        stated = _of_probabilities(engine, table, labels, value, classes, task)
    else:
        rows = _rows(table, labels, value, separator)
        labels = LabelCells(rows.labels, labels.is_list)
        _check_rows(engine, rows, labels, classes, task)
        stated = _of_rows(rows, labels, classes)
    return scores_of_stated(stated, classes, task)


def _of_classes(engine: Engine, table: Any, value: str, classes: tuple[str, ...], task: str) -> Any:
    """Expression: the stated labels, from a row for each label."""
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
        labels=rows.name.nunique(),
        unknown=rows.unknown.max(),
        wrong=_where(rows.p.isnan(), rows.shown).max(),
    )
    found = found.mutate(
        repeated=found.n > ibis.greatest(found.labels, 1), missing=False, uneven=False
    )
    _refuse(engine, found, task)
    none = _where(rows.name.isnull(), rows.p).max()
    places = {place(j): _where(rows.name == one, rows.p).max() for j, one in enumerate(classes)}
    stated = rows.group_by("document").aggregate(**places, **{NONE: none})
    return stated.mutate(**{has(j): stated[place(j)].notnull() for j in range(len(classes))})


def _of_probabilities(
    engine: Engine,
    table: Any,
    labels: LabelCells,
    value: str,
    classes: tuple[str, ...],
    task: str,
) -> Any:
    """Expression: the stated labels, from labels beside the probabilities of classes."""
    cells = ProbabilityCells(table[value])
    total = cells.total(classes)
    wrong = ibis.cases(
        (table[value].isnull(), ibis.literal("null")),
        (total.isnan(), ibis.literal(_OUTSIDE)),
        (_is_off(cells, total, classes, task), ibis.literal("probabilities that do not sum to 1")),
        else_=ibis.null("string"),
    )
    checked = table.select(
        "document",
        labels=labels.n_labels,
        missing=~labels.is_given,
        unknown=ibis.coalesce(labels.unknown(classes), cells.unknown(classes)),
        uneven=cells.is_repeated,
        wrong=wrong,
    )
    _refuse(engine, _by_document(checked), task)
    places = {place(j): cells.of(name) for j, name in enumerate(classes)}
    own = {has(j): labels.has(name) for j, name in enumerate(classes)}
    return table.select("document", **places, **own, **{NONE: ibis.null("float64")})


def _is_off(cells: ProbabilityCells, total: Any, classes: tuple[str, ...], task: str) -> Any:
    """Expression: whether probabilities of one label sum to more than 1, or all of them to less."""
    if task != SINGLE_LABEL:
        return ibis.literal(False)
    slack = min(0.01 + 0.005 * len(classes), 0.1)  # numbers may be rounded, as in memory
    unnamed = [cells.of(name).isnull() for name in classes]
    complete = ~ibis.or_(*unnamed)
    return (total > 1.0 + slack) | (complete & (total < 1.0 - slack))


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
        labels=labels.n_labels,
        missing=~labels.is_given,
        unknown=labels.unknown(classes),
        uneven=uneven.fill_null(True),
        wrong=_where(wrong.fill_null(True), rows.shown),
    )
    _refuse(engine, _by_document(checked), task)


def _by_document(checked: Any) -> Any:
    """Expression: the faults of each document, from those of its rows."""
    found = checked.group_by("document").aggregate(
        n=checked.count(),
        **{name: checked[name].any() for name in ("missing", "uneven")},
        **{name: checked[name].max() for name in ("unknown", "wrong", "labels")},
    )
    return found.mutate(repeated=found.n > 1)


def _faults(rows: Any, labels: LabelCells) -> tuple[Any, Any]:
    """Expressions: whether confidences are too many or too few, and whether one is no number."""
    if not rows.p.type().is_array():
        return ibis.literal(False), rows.p.isnan()
    uneven = (rows.p.length() != labels.n_labels) & ~_holds_for_all(rows)
    return uneven, rows.p.filter(lambda one: one.isnan()).length() > 0


def _of_rows(rows: Any, labels: LabelCells, classes: tuple[str, ...]) -> Any:
    """Expression: the stated labels, from a row for each document."""
    p = rows.p
    own = {has(j): labels.has(name) for j, name in enumerate(classes)}
    without = labels.n_labels == 0
    if not p.type().is_array():
        places = {place(j): _where(labels.has(name), p) for j, name in enumerate(classes)}
        return rows.select("document", **places, **own, **{NONE: _where(without, p)})
    first = _where(p.length() > 0, p[0])
    places = {
        place(j): _where(
            labels.has(name),
            ibis.ifelse(_holds_for_all(rows), first, p[labels.column.index(name).cast("int32")]),
        )
        for j, name in enumerate(classes)
    }
    none = _where(without & _holds_for_all(rows), first)
    return rows.select("document", **places, **own, **{NONE: none})


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
        faulty |= found.labels != 1
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
