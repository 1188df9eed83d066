"""Votes of several people or classifiers as scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels, check_same_shape, check_task
from satc.predictions.labels import NameSets, classes_of, label_matrix, name_sets, rows_of

Array = NDArray[np.float64]

TIE = -1e-3  # the score of a tie in a multi-label task, just below 0


def from_votes(
    votes: Sequence[Any], classes: Sequence[str] | None = None, *, task: str = MULTI_LABEL
) -> Array:
    """Return scores for the labels of several people or classifiers.

    All voters count the same, and vote independently. If k of n voters give a label, its
    probability is estimated as (k + 1/2) / (n + 1) in a multi-label task; in a single-label task
    of m classes, as (k + 1/m) / (n + 1). The majority decides; a tie is no label in a multi-label
    task, and the first of the classes in a single-label task.

    Parameters
    ----------
    votes : sequence of labels
        For each voter, labels as `from_labels` takes them, of the same documents. None in the place
        of a document's labels: the voter has not seen it. A data frame has a column per voter.
    classes : sequence of str, optional
        As for `from_labels`; by default, the sorted names of all voters.
    task : {"multi-label", "single-label"}

    Examples
    --------
    >>> anna, ben, cem = ["fee", "refund"], ["fee", "fee"], ["fee", None]
    >>> scores = from_votes([anna, ben, cem])
    >>> (scores >= 0).tolist()
    [[True, False], [False, False]]
    """
    check_task(task)
    if not len(votes):
        raise ValueError("votes must hold the labels of at least one voter, but hold none")
    rows_of(votes, "votes")  # refuses a text and a dictionary
    votes = [rows_of(one, "the labels of a voter") for one in _by_voter(votes)]
    named = [name_sets(one) for one in votes]
    if classes is None and any(one is not None for one in named):
        classes = classes_of([one for sets in named for one in sets or () if one is not None])
    given = [_vote(one, sets, classes, task) for one, sets in zip(votes, named, strict=True)]
    first = given[0][0]
    for labels, _ in given[1:]:
        check_same_shape(**{"votes[0]": first, "the labels of every voter": labels})
    times = np.array([labels for labels, _ in given], dtype=np.float64).sum(axis=0)
    voters = np.array([seen for _, seen in given], dtype=np.float64).sum(axis=0)[:, np.newaxis]
    if not voters.all():
        row = int(np.flatnonzero(voters == 0)[0])
        raise ValueError(f"votes must hold a vote on every document, but document {row} has none")
    return _scores(times, voters, task)


def _by_voter(votes: Any) -> list[Any]:
    """Return the labels of each voter; a table has a column for each."""
    if hasattr(votes, "to_numpy") and getattr(votes, "ndim", 1) == 2:
        return list(votes.to_numpy().T)
    return list(votes)


def _scores(times: Array, voters: Array, task: str) -> Array:
    """Return scores, if `times` of the `voters` on a document have given each label."""
    if task == SINGLE_LABEL:
        return np.asarray(np.log((times + 1.0 / times.shape[1]) / (voters + 1.0)))
    odds = np.log((times + 0.5) / (voters - times + 0.5))
    return np.where(2.0 * times == voters, TIE, odds)


def _vote(
    labels: Any, sets: NameSets | None, classes: Sequence[str] | None, task: str
) -> tuple[Labels, Labels]:
    """Return the labels of one voter, and which documents the voter has seen."""
    rows: Any = labels if sets is None else sets
    if hasattr(rows, "toarray") or hasattr(rows, "to_numpy") or isinstance(rows, np.ndarray):
        matrix = label_matrix(rows, classes, task, "votes")
        return matrix, np.ones(len(matrix), dtype=bool)
    seen = np.array([one is not None for one in rows])
    given = [one for one in rows if one is not None]
    if not given:
        raise ValueError("votes must hold labels of every voter, but one has seen no document")
    matrix = label_matrix(given, classes, task, "votes")
    every = np.zeros((len(seen), matrix.shape[1]), dtype=bool)
    every[seen] = matrix
    return every, seen
