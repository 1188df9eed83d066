"""Suggestions of Annif as predictions: the best classes of each document, with their scores.

A score is from 0 to 1 and counts as a probability. A class that was not suggested counts as one
that was not predicted, as in long form. The name of a class is the label of the subject. Where two
subjects of a file have the same label, the URI is added. If the user names the classes, it is the
first of label, URI and notation that is among them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from satc.errors import DataError
from satc.files.formats.rows import Row
from satc.files.predictions.annif.folder import DOCUMENT_ID, RESULTS
from satc.files.predictions.cells import Numbers, from_json
from satc.files.predictions.forms import checked_kind
from satc.files.predictions.kinds import LABELS, PROBABILITIES
from satc.files.predictions.layout import IDS, TRUE_LABEL, TRUE_LABELS, Layout, Names
from satc.files.predictions.raw import ANNIF, RawPredictions
from satc.files.predictions.rows import fields_of, value_of

_KEYS = {"uri", "label", "notation", "score"}


class Suggestion(NamedTuple):
    """A suggested subject; texts are empty where there are none."""

    label: str
    uri: str
    notation: str
    score: float


def annif_layout(rows: list[Row], names: Names, kind: str | None, path: Path) -> Layout | None:
    """Return the form of rows with suggestions; None if they have none."""
    values = rows[0].values
    if not _are_suggestions(from_json(values.get(RESULTS), rows[0].where, RESULTS)):
        return None
    if kind not in (None, PROBABILITIES, LABELS):
        raise DataError(
            f"{path} has suggestions of Annif, which are probabilities or labels, not {kind}"
        )
    identity, text, truth = (
        next((name for name in wanted if name in values), None)
        for wanted in (
            (names.id_column, *IDS, DOCUMENT_ID),
            (names.text_column,),
            (TRUE_LABELS, TRUE_LABEL),
        )
    )
    ignored = tuple(name for name in values if name not in (identity, text, truth, RESULTS))
    kind = kind or PROBABILITIES
    return Layout(ANNIF, kind, identity, text, truth, value=RESULTS, ignored=ignored)


def _are_suggestions(value: Any) -> bool:
    """Whether this is a list of suggestions, perhaps an empty one."""
    if not isinstance(value, list):
        return False
    return all(isinstance(one, dict) and {"uri", "score"} <= set(one) <= _KEYS for one in value)


def read_suggestions(
    path: Path, rows: list[Row], found: Layout, names: Names, classes: Collection[str] | None
) -> RawPredictions:
    """Read rows with suggestions; `classes` are those that the user has named, or None."""
    numbers = Numbers()
    given = [_suggestions(row, numbers) for row in rows]
    name_of = _NamesOfSubjects(given, classes)
    by_class = [_by_class(one, name_of, row) for one, row in zip(given, rows, strict=True)]
    named = {name for one in by_class for name in one}
    every = tuple(sorted(named) if classes is None else classes)
    if not named:
        raise DataError(f"{path} must hold at least one suggestion, but holds none")
    values = np.array([[one.get(name, np.nan) for name in every] for one in by_class])
    where = [row.where for row in rows]
    checked_kind(values, found._replace(kind=PROBABILITIES), numbers, where, path)
    own: dict[str, Any] = fields_of(rows, found, names)._asdict()
    if found.kind == LABELS:
        own |= {"labels": [tuple(one) for one in by_class], "confidences": by_class}
    else:
        own["values"] = values
    kind = found.kind or PROBABILITIES
    return RawPredictions(path, ANNIF, kind, every, where, **own, ignored=found.ignored)


def _suggestions(row: Row, numbers: Numbers) -> list[Suggestion]:
    value = from_json(value_of(row, RESULTS), row.where, RESULTS)
    if not _are_suggestions(value):
        raise DataError(
            f'{row.where}: {RESULTS!r} must be a list such as [{{"uri": ..., "label": ..., '
            f'"score": 0.8}}], but is {value!r:.80}'
        )
    return [_suggestion(one, row.where, numbers) for one in value]


def _suggestion(given: dict[str, Any], where: str, numbers: Numbers) -> Suggestion:
    texts = []
    for key in ("label", "uri", "notation"):
        text = given.get(key)
        if text is not None and not isinstance(text, str):
            raise DataError(f"{where}: {key!r} of a suggestion must be a text, but is {text!r:.80}")
        texts.append((text or "").strip())
    if not any(texts):
        raise DataError(f"{where}: a suggestion must have 'label' or 'uri', but has neither")
    label, uri, notation = texts
    return Suggestion(label, uri, notation, numbers.read(given.get("score"), where, "score"))


class _NamesOfSubjects:
    """Chooses the name of a subject: its label, unless another subject has the same label."""

    def __init__(self, given: list[list[Suggestion]], classes: Collection[str] | None) -> None:
        self._classes = classes
        uris = defaultdict(set)
        for one in given:
            for suggestion in one:
                uris[suggestion.label].add(suggestion.uri)
        self._ambiguous = {label for label, found in uris.items() if len(found) > 1}

    def __call__(self, subject: Suggestion, where: str) -> str:
        """Return the name of the class."""
        if self._classes is not None:
            for name in subject[:3]:
                if name in self._classes:
                    return name
            raise DataError(
                f"{where}: {subject.label or subject.uri!r} must be among the classes, by its "
                "label, URI or notation, but is not"
            )
        if subject.label and subject.label not in self._ambiguous:
            return subject.label
        if subject.label:
            return f"{subject.label} <{subject.uri}>"
        return subject.notation or subject.uri


def _by_class(given: list[Suggestion], name_of: _NamesOfSubjects, row: Row) -> dict[str, float]:
    found: dict[str, float] = {}
    for suggestion in given:
        name = name_of(suggestion, row.where)
        if name in found:
            raise DataError(f"{row.where} must suggest every class once, but {name!r} comes twice")
        found[name] = suggestion.score
    return found
