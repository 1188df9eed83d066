"""Smallest margin: the documents whose labels are hardly ahead of the other classes come first."""

from __future__ import annotations

import numpy as np

from satc.ranking.rivals.predicted import Array, Predicted, doubt


def smallest_margin(predicted: Predicted) -> Array:
    """Return a utility that falls as the margin rises.

    With exactly one label, the margin is its probability minus that of the best other class. With
    several, it is the smallest log-odds of a label minus the largest of another class. A document
    without labels, or with all, has only one side; the other one is the threshold, 0.

    Source: Scheffer, Decomain and Wrobel, "Active hidden Markov models for information extraction",
    IDA 2001; for several labels, the max-margin prediction uncertainty of Li and Guo, "Active
    learning with multi-label SVM classification", IJCAI 2013.

    >>> decided = np.array([[True, False], [True, False]])
    >>> smallest_margin(Predicted(decided, np.array([[0.4, 0.4], [0.1, 0.1]]), one_label=True))
    array([0.8, 0.2])
    """
    decided = predicted.decided
    if predicted.one_label:
        other = np.where(decided, 0.0, predicted.wrong).max(axis=1)
        return np.asarray(predicted.wrong_label + other)
    log_odds = predicted.log_odds
    last = np.where(decided, log_odds, np.inf).min(axis=1)
    first = np.where(decided, -np.inf, log_odds).max(axis=1)
    return doubt(np.where(np.isinf(last), 0.0, last) - np.where(np.isinf(first), 0.0, first))
