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
from satc.workbench.store.arrays import (
    Part,
    append,
    check_shape,
    get_bytes,
    get_dense,
    get_rows,
    packed,
    parts_of,
    refusing_damage,
    row_slices,
)
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.projects import Project

_NAMES, _OPINION, _TRAIN_OPINION = "opinion_names", "opinion_", "train_opinion_"  # a number follows
_EARLIER = "opinion"  # the second opinion of a cold start, in projects of an earlier version
_SNIPPETS = "train_snippets"
_PART_SNIPPETS = 500  # training documents in one part: about 100 kB
SNIPPET = 200  # characters of a text that are stored or shown
ENOUGH = 2 * SNIPPET + 1  # characters from which `shortened` can tell what to show


def document_parts(scores: Any, features: Any, minutes: Any) -> Iterator[Part]:
    """Give scores, features and reading times of all documents; None where they are not known."""
    yield from parts_of("scores", np.asarray(scores, dtype=np.float64))
    if features is not None:
        yield from parts_of("features", features)
    if minutes is not None:
        yield from parts_of("minutes", minutes)


def ranking_parts(labels: NDArray[np.bool_], probability: Any) -> Iterator[Part]:
    """Give the labels that were decided on, and P(document belongs to class)."""
    yield from parts_of("decided", np.packbits(labels, axis=1))
    for number, rows in enumerate(row_slices(probability)):
        yield Part("probability", number, packed(probability[rows].astype(np.float32)))


def opinion_parts(opinions: Opinions, training: Training | None) -> Iterator[Part]:
    """Give the names of opinions, and what they say about documents and training documents."""
    if not opinions:
        return
    yield Part(_NAMES, 0, json.dumps(list(opinions)).encode())
    for k, (name, opinion) in enumerate(opinions.items()):
        yield from parts_of(f"{_OPINION}{k}", opinion)
        if training is not None and name in training.opinions:
            yield from parts_of(f"{_TRAIN_OPINION}{k}", training.opinions[name])


def training_parts(training: Training) -> Iterator[Part]:
    """Give the training side: scores, labels and, where they are known, features."""
    yield from parts_of("oof_scores", np.asarray(training.oof_scores, dtype=np.float64))
    yield from parts_of("y_train", np.packbits(training.labels, axis=1))
    if training.features is not None:
        yield from parts_of("train_features", training.features)


def snippet_parts(ids: Sequence[str], texts: Sequence[str]) -> Iterator[Part]:
    """Give the id of each training document and the beginning of its text, "" if unknown."""
    if not (any(ids) or any(texts)):
        return
    pairs = [(_encodable(i), _encodable(shortened(t))) for i, t in zip(ids, texts, strict=True)]
    for number, start in enumerate(range(0, len(pairs), _PART_SNIPPETS)):
        yield Part(_SNIPPETS, number, json.dumps(pairs[start : start + _PART_SNIPPETS]).encode())


def append_scores(connection: Transaction, project: int, scores: Any) -> None:
    """Store the scores of the documents that come next."""
    append(connection, project, "scores", np.asarray(scores, dtype=np.float64))


def append_ranking(
    connection: Transaction, project: int, labels: NDArray[np.bool_], probability: Any
) -> None:
    """Store labels and probabilities of the documents that come next."""
    for part in ranking_parts(labels, probability):
        append(connection, project, part.name, part.data)


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
    packed = _of_documents(store, project, "decided", _n_packed(project))
    if packed is None:
        return read_own_labels(store, project)
    return _labels(store, project, "decided", packed)


def read_own_labels(store: Store, project: Project) -> NDArray[np.bool_]:
    """Return the classifier's own labels: by the signs of the scores, or the largest score."""
    return own_labels(read_scores(store, project), project.settings.task)


def read_minutes(store: Store, project: Project) -> NDArray[np.float64] | None:
    """Return the reading time of each document, or None if the project has none."""
    return _of_documents(store, project, "minutes")


def read_features(store: Store, project: Project) -> Any:
    """Return the features of the documents, or None if the project has none."""
    return get_rows(store, project.key, "features")


def read_opinions(store: Store, project: Project) -> dict[str, NDArray[np.float64]]:
    """Return the opinions on the documents, by their names and in their order."""
    earlier = _of_documents(store, project, _EARLIER, len(project.classes))
    if earlier is not None:
        return {SECOND_OPINION: earlier}
    return _opinions(store, project, _OPINION, project.n_documents)


def _opinions(
    store: Store, project: Project, prefix: str, n_rows: int
) -> dict[str, NDArray[np.float64]]:
    names = json.loads(get_bytes(store, project.key, _NAMES) or b"[]")
    shape = n_rows, len(project.classes)
    found = {n: get_dense(store, project.key, f"{prefix}{k}", shape) for k, n in enumerate(names)}
    return {name: opinion for name, opinion in found.items() if opinion is not None}


def read_training(store: Store, project: Project) -> Training | None:
    """Return what was stored of the training documents, or None if the project has none."""
    key = project.key
    oof_scores = get_dense(store, key, "oof_scores", (None, len(project.classes)))
    if oof_scores is None:
        return None
    n_rows = len(oof_scores)
    packed = get_dense(store, key, "y_train", (n_rows, _n_packed(project)))
    if packed is None:
        return None
    labels = _labels(store, project, "y_train", packed)
    opinions = _opinions(store, project, _TRAIN_OPINION, n_rows)
    return Training(oof_scores, labels, get_rows(store, key, "train_features"), opinions)


def _required(store: Store, project: Project, name: str, what: str) -> NDArray[Any]:
    found = _of_documents(store, project, name, len(project.classes))
    if found is None:
        raise DataError(f"{store.location}: project {project.name!r} has no {what}")
    return found


def _of_documents(store: Store, project: Project, name: str, *columns: int) -> NDArray[Any] | None:
    """Return the rows of all documents; a growing project can have more than it had at first."""
    found = get_dense(store, project.key, name, (None, *columns))
    if found is not None and len(found) < project.n_documents:
        with refusing_damage(store, name):
            check_shape(name, found, (project.n_documents, *columns))
    return found


def _n_packed(project: Project) -> int:
    """Return how many bytes hold the labels of a document, one bit for each class."""
    return -(-len(project.classes) // 8)


def _labels(store: Store, project: Project, name: str, packed: NDArray[Any]) -> NDArray[np.bool_]:
    """Return packed bits as labels, documents x classes."""
    with refusing_damage(store, name):
        return np.unpackbits(packed, axis=1, count=len(project.classes)).astype(bool)
