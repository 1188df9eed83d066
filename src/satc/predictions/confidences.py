"""Labels with confidences, as language models and Hugging Face pipelines give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import MULTI_LABEL, Labels, check_distributions, check_same_shape, check_task
from satc.predictions.labels import classes_of, label_matrix, name_sets
from satc.predictions.probabilities import clipped, fill_unnamed, from_probabilities, log_odds

Array = NDArray[np.float64]

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
LEAST = 1e-3  # a decision that the probability does not support has a score of about this size


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
        None: labels follow from the probabilities, by one half or by the largest. If every document
        names exactly one class, and not all the same, this class is its label.
    confidences : sequence, one per document
        A number from 0 to 1 or a word (`satc.predictions.WORDS`: certain, high, likely, medium,
        low, ...), which holds for all labels of the document; or a probability per class:
        ``{"refund": 0.8}``, or one or a list of ``{"label": "refund", "score": 0.8}``, which is the
        output of a text-classification pipeline of Hugging Face, without or with ``top_k=None``.
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
    if not len(confidences):
        raise ValueError("confidences must hold those of at least one document, but hold none")
    given = [_confidence(one, i) for i, one in enumerate(confidences)]
    if classes is None:
        classes = _all_names(labels, given)
    if labels is None:
        labels = _best_of(given)
    known = np.full((len(given), len(classes)), np.nan)
    _fill_named(known, given, classes)
    if labels is None:
        _need_names(given)
        return from_probabilities(fill_unnamed(known, task), task=task)
    stated = label_matrix(labels, classes, task, "labels")
    check_same_shape(confidences=known, labels=stated)
    plain = np.array([np.nan if isinstance(one, dict) else one for one in given])[:, np.newaxis]
    known = np.where(stated & np.isnan(known), plain, known)
    none = ~stated.any(axis=1, keepdims=True) & ~np.isnan(plain)  # confident that there is no label
    known = np.where(none, (1.0 - plain) / len(classes), known)
    return _stated_scores(fill_unnamed(known, task), stated, task)


def _best_of(given: list[float | dict[str, float]]) -> list[str] | None:
    """Return the one class that each document names; None if some name several, or all the same."""
    names = [next(iter(one)) for one in given if isinstance(one, dict) and len(one) == 1]
    return names if len(names) == len(given) and len(set(names)) > 1 else None


def _stated_scores(p: Array, stated: Labels, task: str) -> Array:
    """Return the scores of probabilities, changed as little as needed for the stated labels."""
    if task == MULTI_LABEL:
        odds = log_odds(p)
        return np.where(
            stated, np.maximum(odds, LEAST * (0.5 + p)), np.minimum(odds, -LEAST * (1.5 - p))
        )
    check_distributions(p, "confidences")
    scores = np.log(clipped(p))
    best_other = np.where(stated, -np.inf, scores).max(axis=1, keepdims=True)
    return np.where(stated, np.maximum(scores, best_other + LEAST), scores)


def _confidence(value: Any, i: int) -> float | dict[str, float]:
    """Return a probability, or the probabilities of classes."""
    name = f"confidences[{i}]"
    if isinstance(value, Mapping) and set(value) == {"label", "score"}:
        return _of_outputs([value], name)
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
    number = _percentage(value) if isinstance(value, str) else value
    try:
        number = np.nan if isinstance(value, (bool, np.bool_)) else float(number)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not 0.0 <= number <= 1.0:
        raise ValueError(
            f"{name} must be from 0 to 1, or one of {', '.join(WORDS)}, but is {value!r:.80}"
        )
    return number


def _percentage(value: str) -> float:
    """Return 0.8 for "80%"; NaN for another text."""
    text = value.strip()
    try:
        return float(text[:-1]) / 100.0 if text.endswith("%") and "_" not in text else np.nan
    except ValueError:
        return np.nan


def _all_names(labels: Any, given: list[float | dict[str, float]]) -> list[str]:
    named = [tuple(one) for one in given if isinstance(one, dict)]
    sets = [] if labels is None else name_sets(labels)
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
