"""Probabilities and logits as scores, and probabilities of classes that are not named."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import (
    MULTI_LABEL,
    SINGLE_LABEL,
    as_scores,
    check_distributions,
    check_task,
    check_unit_interval,
)

Array = NDArray[np.float64]

SMALLEST = 1e-9  # probabilities are at least this, and at most 1 minus this
UNNAMED = 0.01  # the probability of a class that is not named, in a multi-label task


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
        return np.asarray(np.log(clipped(p)))
    kind = np.asarray(probabilities).dtype
    if kind.kind == "f" and kind.itemsize < 8:  # 0.7 of few digits reaches a threshold of 0.7
        threshold = np.asarray(threshold, dtype=np.float64).astype(kind)
    return log_odds(p) - _threshold(threshold, p.shape[1])


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


def clipped(p: Array) -> Array:
    """Return probabilities that are neither 0 nor 1."""
    return np.clip(p, SMALLEST, 1.0 - SMALLEST)


def log_odds(p: Array) -> Array:
    """Return the log-odds of probabilities; they are finite."""
    p = clipped(p)
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
    return log_odds(t)
