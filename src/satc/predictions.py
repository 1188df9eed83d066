"""Predictions as people have them: probabilities, logits, labels, votes, confidences.

Each function returns *scores*, documents x classes, for `satc.rank`, `satc.Validation` and
`satc.simulate`. The decision of a score is the decision that was given: in a multi-label task a
score of 0 or more is a label, in a single-label task the largest score is the label. Scores are
log-odds where probabilities are known.

Labels may be names: a name per document, or a list of names per document. Columns are then in the
order of `classes`; without it, in the order of `classes_of(labels)`, which is sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import (
    MULTI_LABEL,
    SINGLE_LABEL,
    Labels,
    as_labels,
    as_scores,
    check_distributions,
    check_one_label,
    check_same_shape,
    check_task,
    check_unit_interval,
    indicator,
)

Array = NDArray[np.float64]
NameSets = list[tuple[str, ...] | None]  # None: not known

SMALLEST = 1e-9  # probabilities are at least this, and at most 1 minus this
UNNAMED = 0.01  # the probability of a class that is not named, in a multi-label task
# What words mean as probabilities.
WORDS: Mapping[str, float] = {
    "certain": 0.99,
    "very high": 0.95,
    "very likely": 0.95,
    "high": 0.9,
    "likely": 0.8,
    "medium": 0.7,
    "moderate": 0.7,
    "possible": 0.6,
    "low": 0.5,
    "unsure": 0.5,
    "very low": 0.3,
    "unlikely": 0.3,
}
_LEAST = 1e-3  # a decision that the probability does not support has a score of about this size

__all__ = [
    "classes_of",
    "from_confidences",
    "from_labels",
    "from_logits",
    "from_probabilities",
    "from_votes",
]


def from_probabilities(
    probabilities: Any, *, threshold: Any = 0.5, task: str = MULTI_LABEL
) -> Array:
    """Return scores for probabilities, such as the outputs of a sigmoid or of a softmax.

    In a multi-label task, a score is the log-odds of the probability minus those of the threshold,
    so a probability that reaches the threshold is a label. In a single-label task, rows sum to 1,
    and a score is the logarithm of the probability. Probabilities of 0 and 1 become 1e-9 and
    1 - 1e-9.

    Parameters
    ----------
    probabilities : array of shape (n_documents, n_classes)
    threshold : float, or one per class
        The smallest probability that is a label; only in a multi-label task.
    task : {"multi-label", "single-label"}

    Examples
    --------
    >>> from_probabilities([[0.5, 0.1], [0.9, 0.6]]).round(2).tolist()
    [[0.0, -2.2], [2.2, 0.41]]
    >>> from_probabilities([[0.3, 0.1]], threshold=0.3).round(2).tolist()
    [[0.0, -1.35]]
    >>> from_probabilities([[0.5, 0.9]], task="single-label")
    Traceback (most recent call last):
    ...
    ValueError: probabilities must sum to 1 in every row, but row 0 sums to 1.4
    """
    check_task(task)
    p = as_scores(probabilities, "probabilities").astype(np.float64)
    check_unit_interval(p, "probabilities")
    if task == SINGLE_LABEL:
        _refuse_threshold(threshold)
        check_distributions(p, "probabilities")
        return np.asarray(np.log(_clipped(p)))
    return _log_odds(p) - _threshold(threshold, p.shape[1])


def from_logits(logits: Any, *, threshold: Any = 0.5, task: str = MULTI_LABEL) -> Array:
    """Return scores for logits, the inputs of a sigmoid or of a softmax.

    In a multi-label task, the log-odds of the threshold are subtracted; at 0.5 these are 0. In a
    single-label task, the logits are the scores. Parameters are those of `from_probabilities`.

    >>> from_logits([[1.5, -0.5]]).tolist()
    [[1.5, -0.5]]
    """
    check_task(task)
    scores = as_scores(logits, "logits").astype(np.float64)
    if task == SINGLE_LABEL:
        _refuse_threshold(threshold)
        return scores
    return scores - _threshold(threshold, scores.shape[1])


def from_labels(
    labels: Any, classes: Sequence[str] | None = None, *, task: str = MULTI_LABEL
) -> Array:
    """Return scores for labels without any probability: 1 for a label, else -1.

    All labels of a class count as equally probable, and all that are missing too. Only the other
    labels of a document, the frequencies of the classes and, where they are given, features can
    say which labels are doubtful.

    Parameters
    ----------
    labels : 0/1 array of shape (n_documents, n_classes), or list of names, or list of lists of them
    classes : sequence of str, optional
        The classes of the columns, where labels are names; by default `classes_of(labels)`.
    task : {"multi-label", "single-label"}

    Examples
    --------
    >>> from_labels(["refund", "fee"]).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    >>> from_labels([["fee"], []], ["refund", "fee"]).tolist()
    [[-1.0, 1.0], [-1.0, -1.0]]
    """
    return np.where(_label_matrix(labels, classes, task, "labels"), 1.0, -1.0)


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
        of a document's labels: the voter has not seen it.
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
    named = [_name_sets(one) for one in votes]
    if classes is None and any(one is not None for one in named):
        classes = classes_of([one for sets in named for one in sets or () if one is not None])
    given = [_vote(one, sets, classes, task) for one, sets in zip(votes, named, strict=True)]
    first = given[0][0]
    for labels, _ in given[1:]:
        check_same_shape(**{"votes[0]": first, "the labels of every voter": labels})
    times = np.sum([labels for labels, _ in given], axis=0, dtype=np.float64)
    voters = np.array([seen for _, seen in given], dtype=np.float64).sum(axis=0)[:, np.newaxis]
    if not voters.all():
        row = int(np.flatnonzero(voters == 0)[0])
        raise ValueError(f"votes must hold a vote on every document, but document {row} has none")
    if task == SINGLE_LABEL:
        return np.asarray(np.log((times + 1.0 / first.shape[1]) / (voters + 1.0)))
    odds = np.log((times + 0.5) / (voters - times + 0.5))
    return np.where(2.0 * times == voters, -_LEAST, odds)


def from_confidences(
    labels: Any,
    confidences: Sequence[Any],
    classes: Sequence[str] | None = None,
    *,
    task: str = MULTI_LABEL,
) -> Array:
    """Return scores for labels that come with confidences, as language models give them.

    The given labels are the decisions, also where their probability is below one half: their score
    is then just above 0, or above that of the other classes. In a multi-label task, classes without
    a probability have a small one, 0.01. In a single-label task, they share what is left to 1.

    Parameters
    ----------
    labels : as for `from_labels`, or None
        None: labels follow from the probabilities, by one half or by the largest.
    confidences : sequence, one per document
        A number from 0 to 1 or a word (`satc.predictions.WORDS`: certain, high, likely, medium,
        low, ...), which holds for all labels of the document; or a probability per class:
        ``{"refund": 0.8}``, or a list of ``{"label": "refund", "score": 0.8}``, which is the output
        of a text-classification pipeline of Hugging Face with ``top_k=None``.
    classes : sequence of str, optional
        As for `from_labels`; by default, the sorted names in labels and confidences.
    task : {"multi-label", "single-label"}

    Examples
    --------
    >>> from_confidences(["fee", "refund"], ["high", 0.6]).round(2).tolist()
    [[2.2, -4.6], [-4.6, 0.41]]
    >>> outputs = [[{"label": "fee", "score": 0.7}, {"label": "refund", "score": 0.3}]]
    >>> np.exp(from_confidences(None, outputs, task="single-label")).round(2).tolist()
    [[0.7, 0.3]]
    """
    check_task(task)
    given = [_confidence(one, i) for i, one in enumerate(confidences)]
    if classes is None:
        classes = _all_names(labels, given)
    known = np.full((len(given), len(classes)), np.nan)
    _fill_named(known, given, classes)
    if labels is None:
        _need_names(given)
        return from_probabilities(fill_unnamed(known, task), task=task)
    stated = _label_matrix(labels, classes, task, "labels")
    check_same_shape(confidences=known, labels=stated)
    plain = np.array([np.nan if isinstance(one, dict) else one for one in given])[:, np.newaxis]
    known = np.where(stated & np.isnan(known), plain, known)
    none = ~stated.any(axis=1, keepdims=True) & ~np.isnan(plain)  # confident that there is no label
    known = np.where(none, (1.0 - plain) / len(classes), known)
    return _stated_scores(fill_unnamed(known, task), stated, task)


def classes_of(labels: Iterable[Any]) -> list[str]:
    """Return the sorted names of all labels; `labels` are names, or lists of names.

    >>> classes_of([["refund", "fee"], [], "closing"])
    ['closing', 'fee', 'refund']
    """
    sets = _name_sets(labels)
    if sets is None:
        raise TypeError("labels must be names, but are numbers")
    return sorted({name for names in sets for name in names or ()})


def fill_unnamed(probabilities: Array, task: str) -> Array:
    """Return probabilities of all classes; NaN is a class that a document does not name.

    In a multi-label task, such a class has the probability 0.01. In a single-label task, the
    classes that are not named share what is left to 1.

    >>> fill_unnamed(np.array([[0.7, np.nan, np.nan]]), "single-label").round(2).tolist()
    [[0.7, 0.15, 0.15]]
    """
    unnamed = np.isnan(probabilities)
    if task == MULTI_LABEL:
        return np.where(unnamed, UNNAMED, probabilities)
    left = np.maximum(1.0 - np.nansum(probabilities, axis=1, keepdims=True), 0.0)
    share = left / np.maximum(unnamed.sum(axis=1, keepdims=True), 1)
    return np.where(unnamed, share, probabilities)


def _stated_scores(p: Array, stated: Labels, task: str) -> Array:
    """Return the scores of probabilities, changed as little as needed for the stated labels."""
    if task == MULTI_LABEL:
        odds = _log_odds(p)
        return np.where(
            stated, np.maximum(odds, _LEAST * (0.5 + p)), np.minimum(odds, -_LEAST * (1.5 - p))
        )
    check_distributions(p, "confidences")
    scores = np.log(_clipped(p))
    best_other = np.where(stated, -np.inf, scores).max(axis=1, keepdims=True)
    return np.where(stated, np.maximum(scores, best_other + _LEAST), scores)


def _clipped(p: Array) -> Array:
    return np.clip(p, SMALLEST, 1.0 - SMALLEST)


def _log_odds(p: Array) -> Array:
    p = _clipped(p)
    return np.asarray(np.log(p) - np.log1p(-p))


def _refuse_threshold(threshold: Any) -> None:
    if not np.array_equal(threshold, 0.5):
        raise ValueError(
            "threshold must be left out in a single-label task, where the largest probability is "
            f"the label, but is {threshold!r}"
        )


def _threshold(threshold: Any, n_classes: int) -> Array:
    """Return the log-odds of the threshold, or of one threshold per class."""
    t = np.asarray(threshold, dtype=np.float64)
    if t.shape not in ((), (n_classes,)):
        raise ValueError(
            f"threshold must be a number, or one for each of the {n_classes} classes, but has "
            f"shape {t.shape}"
        )
    if not ((t > 0.0) & (t < 1.0)).all():
        raise ValueError(f"threshold must be above 0 and below 1, but is {threshold!r}")
    return _log_odds(t)


def _label_matrix(labels: Any, classes: Sequence[str] | None, task: str, name: str) -> Labels:
    check_task(task)
    sets = _name_sets(labels)
    if sets is None:
        matrix = as_labels(labels, name)
    else:
        matrix = _of_names(sets, classes_of(labels) if classes is None else classes, name)
    if task == SINGLE_LABEL:
        check_one_label(matrix, name)
    return matrix


def _of_names(sets: NameSets, classes: Sequence[str], name: str) -> Labels:
    known = set(classes)
    for i, names in enumerate(sets):
        if names is None:
            raise ValueError(f"{name}[{i}] must be labels ([] for none), but is None")
        if unknown := [one for one in names if one not in known]:
            raise ValueError(f"{name}[{i}] must be among the classes, but is {unknown[0]!r}")
    return indicator([names or () for names in sets], classes)


def _name_sets(labels: Any) -> NameSets | None:
    """Return the names of each document's labels; None if the labels are no names."""
    if hasattr(labels, "toarray"):
        return None
    rows = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    found = [_names(one) for one in rows]
    if any(one is None and row is not None for one, row in zip(found, rows, strict=True)):
        return None
    return None if all(one is None for one in found) else found


def _names(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(x, str) for x in value):
        return tuple(value)
    return None


def _vote(
    labels: Any, sets: NameSets | None, classes: Sequence[str] | None, task: str
) -> tuple[Labels, Labels]:
    """Return the labels of one voter, and which documents the voter has seen."""
    rows: Any = labels if sets is None else sets
    if hasattr(rows, "toarray") or hasattr(rows, "to_numpy") or isinstance(rows, np.ndarray):
        matrix = _label_matrix(rows, classes, task, "votes")
        return matrix, np.ones(len(matrix), dtype=bool)
    seen = np.array([one is not None for one in rows])
    given = [one for one in rows if one is not None]
    if not given:
        raise ValueError("votes must hold labels of every voter, but one has seen no document")
    matrix = _label_matrix(given, classes, task, "votes")
    every = np.zeros((len(seen), matrix.shape[1]), dtype=bool)
    every[seen] = matrix
    return every, seen


def _confidence(value: Any, i: int) -> float | dict[str, float]:
    """Return a probability, or the probabilities of classes."""
    name = f"confidences[{i}]"
    if isinstance(value, Mapping):
        return {str(key): _number(one, name) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return _of_outputs(value, name)
    return _number(value, name)


def _of_outputs(values: Sequence[Any], name: str) -> dict[str, float]:
    """Return the probabilities in a list of {"label": ..., "score": ...}."""
    found: dict[str, float] = {}
    for one in values:
        if not isinstance(one, Mapping) or not {"label", "score"} <= set(one):
            raise ValueError(
                f'{name} must be a list of {{"label": ..., "score": ...}}, but holds {one!r:.80}'
            )
        label = str(one["label"])
        if label in found:
            raise ValueError(f"{name} must name every class once, but names {label!r} twice")
        found[label] = _number(one["score"], name)
    return found


def _number(value: Any, name: str) -> float:
    if isinstance(value, str) and value.strip().lower() in WORDS:
        return WORDS[value.strip().lower()]
    number = np.nan if isinstance(value, (str, bool, np.bool_)) else value
    try:
        number = float(number)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not 0.0 <= number <= 1.0:
        raise ValueError(
            f"{name} must be from 0 to 1, or one of {', '.join(WORDS)}, but is {value!r:.80}"
        )
    return number


def _all_names(labels: Any, given: list[float | dict[str, float]]) -> list[str]:
    named = [tuple(one) for one in given if isinstance(one, dict)]
    sets = [] if labels is None else _name_sets(labels)
    if sets is None:
        raise ValueError("classes must be given where labels are a matrix and confidences are not")
    return classes_of([*named, *(one for one in sets if one is not None)])


def _fill_named(
    known: Array, given: list[float | dict[str, float]], classes: Sequence[str]
) -> None:
    """Write the probabilities that are given by the names of classes."""
    column = {name: j for j, name in enumerate(classes)}
    for i, one in enumerate(given):
        if isinstance(one, dict):
            for name, p in one.items():
                if name not in column:
                    raise ValueError(f"confidences[{i}] must name classes only, but names {name!r}")
                known[i, column[name]] = p


def _need_names(given: list[float | dict[str, float]]) -> None:
    for i, one in enumerate(given):
        if not isinstance(one, dict) or not one:
            raise ValueError(
                f"confidences[{i}] must have a probability per class where labels are None, "
                f"but is {one!r}"
            )
