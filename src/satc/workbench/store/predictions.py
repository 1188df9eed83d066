"""Scores, probabilities and labels of a project's documents, and its training documents.

Documents have rows in the arrays `scores`, `probability` and `decided` (labels as packed bits) and,
where they are known, in `features`, `opinion_0`, ... (what others say about them) and `minutes`
(reading times). Training documents have rows in `oof_scores`, `y_train` (labels as packed bits),
`train_features` and `train_opinion_0`, ... The ids of training documents and the beginnings of
their texts are in `train_snippets`, where the source knows them. Callers append and read rows; this
module decides how rows are divided into parts and which number format a part has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.evidence import Opinions
from satc.decisions import own_labels
from satc.errors import DataError
from satc.ranking.cold_start import SECOND_OPINION
from satc.training import Training
from satc.workbench.store.arrays import append, get_bytes, get_dense, get_rows, put
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.projects import Project

_NAMES, _OPINION, _TRAIN_OPINION = "opinion_names", "opinion_", "train_opinion_"  # a number follows
_EARLIER = "opinion"  # the second opinion of a cold start, in projects of an earlier version
_SNIPPETS = "train_snippets"
_PART_SNIPPETS = 500  # training documents in one part: about 100 kB
SNIPPET = 200  # characters of a text that are stored or shown
ENOUGH = 2 * SNIPPET + 1  # characters from which `shortened` can tell what to show
_PART_ENTRIES = 1 << 20  # numbers in one part: 8 MB of scores


def append_scores(connection: Transaction, project: int, scores: Any) -> None:
    """Store the scores of the documents that come next."""
    append(connection, project, "scores", np.asarray(scores, dtype=np.float64))


def append_features(connection: Transaction, project: int, features: Any) -> None:
    """Store the features of the documents that come next: dense or sparse rows."""
    append(connection, project, "features", features)


def put_opinions(
    connection: Transaction, project: int, opinions: Opinions, training: Training | None
) -> None:
    """Store the names of opinions, and what they say about documents and training documents."""
    if not opinions:
        return
    put(connection, project, _NAMES, 0, json.dumps(list(opinions)).encode())
    for k, (name, opinion) in enumerate(opinions.items()):
        _append_rows(connection, project, f"{_OPINION}{k}", opinion)
        if training is not None and name in training.opinions:
            _append_rows(connection, project, f"{_TRAIN_OPINION}{k}", training.opinions[name])


def _append_rows(
    connection: Transaction, project: int, name: str, values: NDArray[np.float64]
) -> None:
    for rows in _row_slices(*values.shape):
        append(connection, project, name, values[rows])


def append_minutes(connection: Transaction, project: int, minutes: NDArray[np.float64]) -> None:
    """Store the reading times of the documents that come next."""
    append(connection, project, "minutes", minutes)


def append_probabilities(connection: Transaction, project: int, probability: Any) -> None:
    """Store P(document belongs to class) of the documents that come next."""
    for rows in _row_slices(*probability.shape):
        append(connection, project, "probability", probability[rows].astype(np.float32))


def append_decided(connection: Transaction, project: int, labels: NDArray[np.bool_]) -> None:
    """Store the labels that were decided on for the documents that come next."""
    for rows in _row_slices(*labels.shape):
        append(connection, project, "decided", np.packbits(labels[rows], axis=1))


def put_training(connection: Transaction, project: int, training: Training) -> None:
    """Store the training side: scores, labels and, where they are known, features."""
    oof = np.asarray(training.oof_scores, dtype=np.float64)
    for rows in _row_slices(*oof.shape):
        append(connection, project, "oof_scores", oof[rows])
        append(connection, project, "y_train", np.packbits(training.labels[rows], axis=1))
        if training.features is not None:
            append(connection, project, "train_features", training.features[rows])


def put_train_snippets(
    connection: Transaction, project: int, ids: Sequence[str], texts: Sequence[str]
) -> None:
    """Store the id of each training document and the beginning of its text, "" if unknown."""
    if not (any(ids) or any(texts)):
        return
    pairs = [(_encodable(i), _encodable(shortened(t))) for i, t in zip(ids, texts, strict=True)]
    for part, start in enumerate(range(0, len(pairs), _PART_SNIPPETS)):
        data = json.dumps(pairs[start : start + _PART_SNIPPETS]).encode()
        put(connection, project, _SNIPPETS, part, data)


def shortened(text: str) -> str:
    """Return the beginning of a text in one line; an ellipsis says that there is more.

    >>> shortened("one   line"), len(shortened("x" * 999))
    ('one line', 200)
    """
    line = " ".join(text[:ENOUGH].split())
    if len(line) <= SNIPPET and len(text) < ENOUGH:
        return line
    return f"{line[: SNIPPET - 1]}…"


def _encodable(text: str) -> str:
    """Return a text without halves of characters, which cannot be sent to a browser."""
    return text.encode("utf-8", "replace").decode("utf-8")


def read_train_snippets(
    store: Store, project: int, rows: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Return the id and the beginning of the text of training documents, by row.

    Rows of which nothing is stored are left out, for example in projects of earlier versions.
    """

    @cache
    def part(number: int) -> list[tuple[str, str]]:
        return json.loads(get_bytes(store, project, _SNIPPETS, number) or b"[]")

    found = {}
    for row in rows:
        number, place = divmod(row, _PART_SNIPPETS)
        if place < len(part(number)):
            identity, text = part(number)[place]
            found[row] = identity, text
    return found


def read_scores(store: Store, project: Project) -> NDArray[np.float64]:
    """Return the scores, documents x classes."""
    return _required(store, project, "scores", "scores")


def read_probabilities(store: Store, project: Project) -> NDArray[np.float32]:
    """Return P(document belongs to class), documents x classes."""
    return _required(store, project, "probability", "probabilities")


def read_decided(store: Store, project: Project) -> NDArray[np.bool_]:
    """Return the labels that were decided on when the project was made, documents x classes.

    Projects of earlier versions have not stored them: they decided by the signs of the scores.
    """
    packed = get_dense(store, project.key, "decided")
    if packed is None:
        return read_own_labels(store, project)
    return np.unpackbits(packed, axis=1, count=len(project.classes)).astype(bool)


def read_own_labels(store: Store, project: Project) -> NDArray[np.bool_]:
    """Return the classifier's own labels: by the signs of the scores, or the largest score."""
    return own_labels(read_scores(store, project), project.settings.task)


def read_minutes(store: Store, project: Project) -> NDArray[np.float64] | None:
    """Return the reading time of each document, or None if the project has none."""
    return get_dense(store, project.key, "minutes")


def read_features(store: Store, project: Project) -> Any:
    """Return the features of the documents, or None if the project has none."""
    return get_rows(store, project.key, "features")


def read_opinions(store: Store, project: Project) -> dict[str, NDArray[np.float64]]:
    """Return the opinions on the documents, by their names and in their order."""
    earlier = get_dense(store, project.key, _EARLIER)
    if earlier is not None:
        return {SECOND_OPINION: earlier}
    return _opinions(store, project, _OPINION)


def _opinions(store: Store, project: Project, prefix: str) -> dict[str, NDArray[np.float64]]:
    names = json.loads(get_bytes(store, project.key, _NAMES) or b"[]")
    found = {name: get_dense(store, project.key, f"{prefix}{k}") for k, name in enumerate(names)}
    return {name: opinion for name, opinion in found.items() if opinion is not None}


def read_training(store: Store, project: Project) -> Training | None:
    """Return what was stored of the training documents, or None if the project has none."""
    oof_scores = get_dense(store, project.key, "oof_scores")
    packed = get_dense(store, project.key, "y_train")
    if oof_scores is None or packed is None:
        return None
    labels = np.unpackbits(packed, axis=1, count=len(project.classes)).astype(bool)
    features = get_rows(store, project.key, "train_features")
    return Training(oof_scores, labels, features, _opinions(store, project, _TRAIN_OPINION))


def _required(store: Store, project: Project, name: str, what: str) -> NDArray[Any]:
    found = get_dense(store, project.key, name)
    if found is None:
        raise DataError(f"{store.location}: project {project.name!r} has no {what}")
    return found


def _row_slices(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Divide rows into parts of at most `_PART_ENTRIES` numbers, but at least one row."""
    size = max(1, _PART_ENTRIES // n_columns)
    for start in range(0, n_rows, size):
        yield slice(start, start + size)
