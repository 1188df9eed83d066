"""The form of a file of predictions: which column holds what, by the names of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from satc.errors import DataError
from satc.files.documents import LABEL
from satc.files.documents import LABELS as LABELS_COLUMN
from satc.files.labels.cells import SEPARATOR
from satc.files.predictions.kinds import (
    LABELS,
    LOGITS,
    PROBABILITIES,
    SCORES,
    VOTES,
    UnclearKindError,
)

LONG, WIDE, OF_LABELS, OF_VOTES, BY_CLASS = (
    "long form",
    "wide form",
    "labels",
    "votes",
    "numbers by class",
)
TRUE_LABELS, TRUE_LABEL = "true_labels", "true_label"
IDS = ("document", "id")
VOTER = ("label_", "labels_", "vote_", "votes_")  # how the column of a voter begins
# Columns with the number of a pair in long form, and the kind that each tells.
VALUES = {"probability": PROBABILITIES, "score": SCORES, "logit": LOGITS}
CONFIDENCES = ("confidence", "confidences", "probabilities", "probability", "score", "scores")
# Columns with JSON that names classes; the kind that each tells, if it does.
OBJECTS = {
    "probabilities": PROBABILITIES,
    "logits": LOGITS,
    "predictions": None,
    "scores": None,
    "outputs": None,
}


class Names(NamedTuple):
    """Names of columns, as the options of a command give them.

    `label_columns` are columns of true labels, one for each class; predictions have none.
    """

    id_column: str = "id"
    text_column: str = "text"
    labels_column: str = LABELS_COLUMN
    separator: str = SEPARATOR
    label_columns: str | None = None


class Layout(NamedTuple):
    """The form of a file and its columns; None and () where there are none."""

    form: str
    kind: str | None
    id: str | None
    text: str | None
    truth: str | None
    labels: str | None = None
    value: str | None = None
    columns: tuple[str, ...] = ()  # classes in wide form, voters in votes
    ignored: tuple[str, ...] = ()


def find_layout(
    columns: Sequence[str],
    names: Names,
    path: Path,
    kind: str | None = None,
    classes: Sequence[str] | None = None,
) -> Layout:
    """Return the form of a file with these columns.

    `kind` and `classes` are those that the user has named, or None.
    """
    _check_separator(columns, path)
    common = (
        _first([names.id_column, *IDS], columns),
        _first([names.text_column], columns),
        _first([TRUE_LABELS, TRUE_LABEL], columns),
    )
    left = [
        name for name in columns if name not in common and name not in (TRUE_LABELS, TRUE_LABEL)
    ]
    for find in (_long, _votes, _labels, _objects, _wide):
        if (found := find(left, names, path, kind, classes)) is not None:
            identity, text, truth = common
            return found._replace(id=identity, text=text, truth=truth)
    raise DataError(
        f"{path} must have predictions: 'class' with 'probability', 'score' or 'logit'; or a "
        "column for each class; or 'labels', 'label' or --labels-column; but has "
        f"{_listed(columns)}"
    )


def _check_separator(columns: Sequence[str], path: Path) -> None:
    """Refuse a table of one column whose name shows that another separator is meant."""
    if len(columns) == 1 and ";" in columns[0]:
        raise DataError(
            f"{path} must be separated by commas, or by tabs in a .tsv file, but the file seems to "
            f"be separated by ;: its first line is {columns[0]!r:.80}"
        )


def layout_beside_truth(
    columns: Sequence[str], names: Names, path: Path, kind: str | None, classes: Sequence[str]
) -> Layout | None:
    """Return the form of predictions beside true labels; None if the file has none of this kind.

    Only columns of the known `classes` are taken for classes.
    """
    try:
        return find_layout(columns, names, path, kind, classes)
    except DataError:
        return None


def _new(
    form: str,
    kind: str | None,
    labels: str | None = None,
    value: str | None = None,
    columns: Sequence[str] = (),
    ignored: Sequence[str] = (),
) -> Layout:
    return Layout(form, kind, None, None, None, labels, value, tuple(columns), tuple(ignored))


def _long(
    left: list[str], names: Names, path: Path, kind: str | None, classes: Sequence[str] | None
) -> Layout | None:
    if "class" not in left:
        return None
    found = {VALUES[name]: name for name in left if name in VALUES}
    if kind is not None:
        found = {key: name for key, name in found.items() if key == kind or len(found) == 1}
    if len(found) > 1:
        raise UnclearKindError(
            f"{path} has the columns {_listed(found.values())}: say which with --kind "
            f"{' or '.join(found)}",
            SCORES if SCORES in found else next(iter(found)),
        )
    if not found:
        wanted = [name for name, told in VALUES.items() if kind in (None, told)] or list(VALUES)
        raise DataError(
            f"{path} must have, beside 'class', the column {' or '.join(map(repr, wanted))}, "
            f"but has {_listed(left)}"
        )
    ((told, value),) = found.items()
    others = [name for name in left if name not in ("class", value)]
    return _new(LONG, kind or told, value=value, ignored=others)


def _votes(
    left: list[str], names: Names, path: Path, kind: str | None, classes: Sequence[str] | None
) -> Layout | None:
    if kind not in (None, VOTES):
        return None
    voters = [name for name in left if name.startswith(VOTER)]
    if kind == VOTES and len(voters) < 2:
        voters = left
    if len(voters) < 2:
        if kind == VOTES:
            raise DataError(
                f"{path} must have two columns of labels or more for votes, but has {_listed(left)}"
            )
        return None
    others = [name for name in left if name not in voters]
    return _new(OF_VOTES, VOTES, columns=voters, ignored=others)


def _labels(
    left: list[str], names: Names, path: Path, kind: str | None, classes: Sequence[str] | None
) -> Layout | None:
    label = _first([names.labels_column, LABEL], left)
    value = _first(CONFIDENCES, left)
    if label is None or kind in (SCORES, LOGITS) or (kind == PROBABILITIES and value is None):
        return None
    others = [name for name in left if name not in (label, value)]
    return _new(OF_LABELS, kind, labels=label, value=value, ignored=others)


def _objects(
    left: list[str], names: Names, path: Path, kind: str | None, classes: Sequence[str] | None
) -> Layout | None:
    if kind == LABELS or (classes is not None and set(left) <= set(classes)):
        return None
    value = _first(OBJECTS, left)
    if value is None:
        return None
    others = [name for name in left if name != value]
    return _new(BY_CLASS, kind or OBJECTS[value], value=value, ignored=others)


def _wide(
    left: list[str], names: Names, path: Path, kind: str | None, classes: Sequence[str] | None
) -> Layout | None:
    label = () if kind is None else (names.labels_column, LABEL)
    columns = [name for name in left if name not in label]
    if classes is not None:
        columns = [name for name in left if name in set(classes)]
    if not columns:
        return None
    ignored = [name for name in left if name not in set(columns)]
    return _new(WIDE, kind, columns=columns, ignored=ignored)


def _first(wanted: Sequence[str] | dict[str, str | None], there: Sequence[str]) -> str | None:
    return next((name for name in wanted if name in there), None)


def _listed(names: object) -> str:
    return ", ".join(repr(name) for name in names) or "none"  # type: ignore[attr-defined]
