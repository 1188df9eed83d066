"""Labels chosen for a measure, for documents that are classified block by block.

Which label is best for a document depends on all documents. A first pass keeps the probabilities of
the likely pairs, and only the number and the sum of the others. The cuts of the classes follow, and
a second pass applies them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.decisions import NO_LABEL, Ordered, last_label
from satc.measures import parse
from satc.ranking.preparation import fit_calibrator
from satc.training import Training

Array = NDArray[np.float64]

LIKELY = 0.005  # pairs with smaller probabilities get no label


class LikelyPairs:
    """The pairs that can get a label, and sums over the others.

    Examples
    --------
    >>> pairs = LikelyPairs(n_classes=1)
    >>> pairs.add(np.array([[0.9], [0.8], [0.45], [0.01]]))
    >>> pairs.cuts("f1", "macro").round(2)
    array([0.45])
    """

    def __init__(self, n_classes: int) -> None:
        self._label: list[NDArray[np.intp]] = []
        self._p: list[Array] = []
        self._n_others = np.zeros(n_classes)
        self._sum_others = np.zeros(n_classes)

    def add(self, probability: Array) -> None:
        """Add documents x classes."""
        likely = probability >= LIKELY
        self._label.append(np.nonzero(likely)[1])
        self._p.append(probability[likely])
        self._n_others += (~likely).sum(axis=0)
        self._sum_others += np.where(likely, 0.0, probability).sum(axis=0)

    def cuts(self, measure: str, average: str) -> Array:
        """Return the smallest probability that gets the label, for each class."""
        p, label = np.concatenate(self._p), np.concatenate(self._label)
        m = len(self._n_others)
        if average == "micro":
            others = self._n_others.sum(), self._sum_others.sum()
            return np.full(m, _cut(p, *others, measure))
        others_of = zip(self._n_others, self._sum_others, strict=True)
        return np.array([_cut(p[label == j], *rest, measure) for j, rest in enumerate(others_of)])


def probabilities_of(training: Training, seed: int) -> Any:
    """Return a function from scores and features of documents to P(document belongs to class)."""
    return fit_calibrator(training, seed).probabilities


def _cut(p: Array, n_others: float, sum_others: float, measure: str) -> float:
    if not len(p):
        return NO_LABEL
    p = -np.sort(-p)
    others = Ordered(np.array([sum_others / max(n_others, 1.0)]), np.array([n_others]), 1.0, 1.0)
    last = last_label(Ordered(p), parse(measure), others)
    return NO_LABEL if last is None else float(p[last])
