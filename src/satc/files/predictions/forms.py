"""One reader for each form of predictions: long, wide, labels, votes, and JSON by class."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError, SatcWarning
from satc.files.documents import LABEL
from satc.files.formats.rows import Row
from satc.files.predictions import cells, layout
from satc.files.predictions.cells import Numbers
from satc.files.predictions.kinds import LABELS, LOGITS, PROBABILITIES, SCORES, VOTES, kind_of
from satc.files.predictions.layout import Layout, Names
from satc.files.predictions.named_classes import as_every_class
from satc.files.predictions.raw import NameSets, RawPredictions
from satc.files.predictions.rows import document_ids, fields_of, texts_of, truth_of, value_of

Array = NDArray[np.float64]
Classes = Collection[str] | None


def read_form(
    path: Path, rows: list[Row], found: Layout, names: Names, classes: Classes
) -> RawPredictions:
    """Read rows of a known form; `classes` are those that the user has named, or None."""
    quick = None if classes is None else dict.fromkeys(classes)
    return _READERS[found.form](path, rows, found, names, quick)


def _read_wide(
    path: Path, rows: list[Row], found: Layout, names: Names, classes: Classes
) -> RawPredictions:
    numbers = Numbers()
    known = {*found.columns, *found.ignored, found.id, found.text, found.truth}
    values = np.empty((len(rows), len(found.columns)))
    for i, row in enumerate(rows):
        if unknown := [name for name in row.values if name not in known]:
            raise DataError(f"{row.where} has the column {unknown[0]!r}, which the first row lacks")
        for j, name in enumerate(found.columns):
            values[i, j] = _number_of(row, name, numbers)
    where = [row.where for row in rows]
    kind = checked_kind(values, found, numbers, where, path)
    own = fields_of(rows, found, names)._asdict()
    return RawPredictions(
        path, found.form, kind, found.columns, where, **own, values=values, ignored=found.ignored
    )


def _number_of(row: Row, name: str, numbers: Numbers) -> float:
    value = value_of(row, name)
    try:
        return numbers.read(value, row.where, name)
    except DataError as error:
        remedy = f"; if {name!r} is no class, --classes lists those that are"
        if isinstance(value, str) and value.strip()[:1].isalpha():
            remedy += f"; if it holds labels, --labels-column {name!r}"
        raise DataError(f"{error}{remedy}") from None


def _read_long(
    path: Path, rows: list[Row], found: Layout, names: Names, classes: Classes
) -> RawPredictions:
    column = found.value or ""
    if found.id is None:
        raise DataError(
            f"{path} must have the column 'document' or 'id' in long form, but has none"
        )
    ids = document_ids(rows, found.id)
    labels = [_class_of(row, classes) for row in rows]
    order = {identity: i for i, identity in enumerate(dict.fromkeys(ids))}
    every = tuple(sorted(set(labels)) if classes is None else classes)
    place = {name: j for j, name in enumerate(every)}
    values, numbers = np.full((len(order), len(every)), np.nan), Numbers()
    for identity, label, row in zip(ids, labels, rows, strict=True):
        pair = order[identity], place[label]
        if not np.isnan(values[pair]):
            raise DataError(
                f"{row.where}: every pair of a document and a class must come once, but "
                f"{identity!r} with {label!r} comes twice"
            )
        values[pair] = numbers.read(value_of(row, column), row.where, column)
    first = _firsts(ids, rows)
    where = [row.where for row in first]
    kind = checked_kind(values, found, numbers, where, path)
    return RawPredictions(
        path,
        found.form,
        kind,
        every,
        where,
        tuple(order),
        texts_of(first, found.text),
        truth_of(first, found.truth, names),
        values,
        ignored=found.ignored,
    )


def _firsts(ids: list[str], rows: list[Row]) -> list[Row]:
    """Return the first row of each document."""
    found: dict[str, Row] = {}
    for identity, row in zip(ids, rows, strict=True):
        found.setdefault(identity, row)
    return list(found.values())


def _class_of(row: Row, classes: Classes) -> str:
    (name, *_) = cells.label_set(value_of(row, "class"), None, row.where, "class") or ("",)
    if not name:
        raise DataError(f"{row.where}: 'class' must name a class, but is empty")
    _check_known([name], classes, row.where)
    return name


def _read_objects(
    path: Path, rows: list[Row], found: Layout, names: Names, classes: Classes
) -> RawPredictions:
    column, numbers = found.value or "", Numbers()
    given = [cells.by_class(value_of(row, column), numbers, row.where, column) for row in rows]
    for one, row in zip(given, rows, strict=True):
        _check_known(one, classes, row.where)
        if not one:
            raise DataError(f"{row.where}: {column!r} must name at least one class, but names none")
    every = tuple(sorted({name for one in given for name in one}) if classes is None else classes)
    values = np.array([[one.get(name, np.nan) for name in every] for one in given])
    where = [row.where for row in rows]
    kind = checked_kind(values, found, numbers, where, path)
    own = fields_of(rows, found, names)._asdict()
    return RawPredictions(
        path, found.form, kind, every, where, **own, values=values, ignored=found.ignored
    )


def _read_labels(
    path: Path, rows: list[Row], found: Layout, names: Names, classes: Classes
) -> RawPredictions:
    sets = _label_sets(rows, found.labels or "", names, classes)
    confidences = None
    if found.value is not None:
        numbers = Numbers()
        confidences = [
            cells.confidence(
                value_of(row, found.value), one, names.separator, row.where, found.value, numbers
            )
            for row, one in zip(rows, sets, strict=True)
        ]
        numbers.signs.check(path, within_one=True)
        for row, one in zip(rows, confidences, strict=True):
            _check_known(one if isinstance(one, dict) else (), classes, row.where)
    more = [name for one in confidences or () if isinstance(one, dict) for name in one]
    every = tuple(
        sorted({*more, *(x for one in sets for x in one)}) if classes is None else classes
    )
    _need_classes(every, path)
    _check_no_columns_of_classes(every, found, path)
    own = fields_of(rows, found, names)._asdict()
    raw = RawPredictions(
        path,
        "labels" if confidences is None else "labels with confidences",
        LABELS,
        every,
        [row.where for row in rows],
        **own,
        labels=list(sets),
        confidences=confidences,
        ignored=found.ignored,
    )
    return as_every_class(raw) if _are_lists(rows, found) else raw


def _are_lists(rows: list[Row], found: Layout) -> bool:
    """Whether a list of scores stands beside each list of labels, as Hugging Face gives them."""
    if found.value != "scores" or found.kind == LABELS:
        return False
    given = [cells.from_json(row.values[found.value], row.where, found.value) for row in rows]
    return all(isinstance(one, list) and bool(one) for one in given)


def _check_no_columns_of_classes(classes: Sequence[str], found: Layout, path: Path) -> None:
    """Refuse labels beside columns of numbers, unless the user has said which to read."""
    columns = [name for name in found.ignored if name in classes]
    if found.kind is None and columns:
        raise DataError(
            f"{path} has {found.labels!r} and the column {columns[0]!r} of a class: say "
            "--kind labels, --kind probabilities, --kind scores or --kind logits"
        )


def _read_votes(
    path: Path, rows: list[Row], found: Layout, names: Names, classes: Classes
) -> RawPredictions:
    _refuse_fractions(rows, found)
    votes: list[NameSets] = [_votes_of(rows, voter, names, classes) for voter in found.columns]
    for i, row in enumerate(rows):
        if all(voter[i] is None for voter in votes):
            raise DataError(f"{row.where} must have at least one vote, but has none")
    given = {name for voter in votes for one in voter for name in one or ()}
    every = tuple(sorted(given) if classes is None else classes)
    _need_classes(every, path)
    own = fields_of(rows, found, names)._asdict()
    where = [row.where for row in rows]
    form = f"{len(found.columns)} columns of labels"
    return RawPredictions(
        path, form, VOTES, every, where, **own, votes=votes, ignored=found.ignored
    )


def _refuse_fractions(rows: list[Row], found: Layout) -> None:
    """Refuse columns that hold only numbers, not all of them whole: these are no labels."""
    given = [(row, name) for row in rows for name in found.columns if row.values.get(name)]
    if not all(cells.is_number(row.values[name]) for row, name in given):
        return
    for row, name in given:
        if cells.is_fraction(row.values[name]):
            raise DataError(
                f"{row.where}: {name!r} must be labels for votes, but is {row.values[name]!r:.80}; "
                "if the numbers are probabilities, --kind probabilities"
            )


def _votes_of(rows: list[Row], voter: str, names: Names, classes: Classes) -> NameSets:
    """Return the labels of one voter; an empty cell: the voter has not seen the document."""
    return [
        None
        if row.values.get(voter) in (None, "")
        else _label_sets([row], voter, names, classes)[0]
        for row in rows
    ]


def _label_sets(
    rows: list[Row], column: str, names: Names, classes: Classes
) -> list[tuple[str, ...]]:
    whole = column == LABEL or column.startswith(("label_", "vote_"))
    separator = None if whole and column != names.labels_column else names.separator
    sets = [cells.label_set(value_of(row, column), separator, row.where, column) for row in rows]
    for one, row in zip(sets, rows, strict=True):
        _check_known(one, classes, row.where)
    if separator is None:
        _warn_of_separators(sets, rows, column, names.separator)
    return sets


def _warn_of_separators(
    sets: list[tuple[str, ...]], rows: list[Row], column: str, separator: str
) -> None:
    """Warn of a label that looks like several, one of which is a label of other documents."""
    every = {name for one in sets for name in one}
    for one, row in zip(sets, rows, strict=True):
        for name in one:
            parts = [part.strip() for part in name.split(separator)]
            if len(parts) == 1 or not every.intersection(parts):
                continue
            warnings.warn(
                f"{row.where}: {column!r} holds one label, so {name!r:.80} is a class of its "
                f"own; --labels-column {column} divides at {separator!r}",
                SatcWarning,
                stacklevel=2,
            )
            return


def _check_known(names: Any, classes: Classes, where: str) -> None:
    if classes is not None and (unknown := [name for name in names if name not in classes]):
        raise DataError(f"{where}: {unknown[0]!r} must be among the classes, but is not")


def _need_classes(classes: tuple[str, ...], path: Path) -> None:
    if not classes:
        raise DataError(f"{path} must hold at least one label, but holds none")


def checked_kind(
    values: Array, found: Layout, numbers: Numbers, where: Sequence[str], path: Path
) -> str:
    """Return the kind of numbers, after a check that they can be of it."""
    if np.isnan(values).all():
        raise DataError(f"{path} must hold numbers, but holds none")
    numbers.signs.check(path, within_one=found.kind == PROBABILITIES)
    named = PROBABILITIES if found.kind is None and numbers.percent_at else found.kind
    kind = kind_of(values, named, path)
    if kind in (SCORES, LOGITS) and numbers.percent_at:
        raise DataError(f"{numbers.percent_at}: {kind} must be without percent signs, but are not")
    if kind in (SCORES, LOGITS) and np.isnan(values).any():
        i = int(np.argwhere(np.isnan(values))[0, 0])
        raise DataError(f"{where[i]}: {kind} must be given for every class, but one is missing")
    _check_range(values, kind, where)
    return kind


def _check_range(values: Array, kind: str, where: Sequence[str]) -> None:
    if kind == PROBABILITIES:
        wrong = (values < 0.0) | (values > 1.0)
    elif kind == LABELS:
        wrong = ~np.isnan(values) & (values != 0.0) & (values != 1.0)
    elif kind in (SCORES, LOGITS):
        return
    else:
        raise DataError(f"{where[0]}: votes must be labels, but are numbers")
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        must = "from 0 to 1 (80 percent is 0.8 or 80%)" if kind == PROBABILITIES else "0 or 1"
        raise DataError(f"{where[i]}: {kind} must be {must}, but one is {values[i, j]:g}")


_READERS: dict[str, Callable[[Path, list[Row], Layout, Names, Classes], RawPredictions]] = {
    layout.LONG: _read_long,
    layout.WIDE: _read_wide,
    layout.OF_LABELS: _read_labels,
    layout.OF_VOTES: _read_votes,
    layout.BY_CLASS: _read_objects,
}
