"""Labels chosen for a measure, for documents that are classified block by block.

Which label is best for a document depends on all documents. A first pass keeps the probabilities of
the likely pairs, and only the number and the sum of the others. The cuts of the classes follow, and
a second pass applies them.

Where every document has exactly one label, the first pass keeps whole rows of probabilities: all of
them up to `MOST_PAIRS` pairs, and of more documents a random sample of that size. `choose_one`
finds the rule in these rows, and the second pass applies it to all documents. So labels are those
of `satc.decide` up to that size, and about 400 MB are needed beyond it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.decisions import NO_LABEL, Decided, OneLabelRule, Ordered, by_cuts, last_label
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels
from satc.measures import parse
from satc.one_label import choose_one
from satc.ranking.preparation import fit_calibrator
from satc.training import Training

Array = NDArray[np.float64]

LIKELY = 0.005  # pairs with smaller probabilities get no label
MOST_PAIRS = 10_000_000  # of documents and classes, in a sample of whole rows


class ChosenLabels(Protocol):
    """Collects probabilities in a first pass, and returns how a second pass decides on labels."""

    def add(self, probability: Array) -> None:
        """Add documents x classes."""

    def decider(self, measure: str, average: str) -> Callable[[Array], Labels]:
        """Return the function from probabilities to labels that is best for the measure."""


def collect_probabilities(task: str, n_classes: int, seed: int) -> ChosenLabels:
    """Return the collector of a task."""
    return SampledRows(n_classes, seed) if task == SINGLE_LABEL else LikelyPairs(n_classes)


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

    def decider(self, measure: str, average: str) -> Callable[[Array], Labels]:
        """Return the function that compares probabilities with the cuts."""
        return partial(by_cuts, cuts=self.cuts(measure, average))

    def cuts(self, measure: str, average: str) -> Array:
        """Return the smallest probability that gets the label, for each class."""
        p, label = np.concatenate(self._p), np.concatenate(self._label)
        m = len(self._n_others)
        if average == "micro":
            others = self._n_others.sum(), self._sum_others.sum()
            return np.full(m, _cut(p, *others, measure))
        others_of = zip(self._n_others, self._sum_others, strict=True)
        return np.array([_cut(p[label == j], *rest, measure) for j, rest in enumerate(others_of)])


class SampledRows:
    """The probabilities of documents that have exactly one label each, or of a random sample.

    Each row has a random key, and the rows with the smallest keys are kept.

    Examples
    --------
    >>> rows = SampledRows(n_classes=2)
    >>> rows.add(np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4], [0.55, 0.45]]))
    >>> rows.decider("f1", "macro")(np.array([[0.75, 0.25], [0.58, 0.42]])).argmax(axis=1)
    array([0, 1])
    """

    def __init__(self, n_classes: int, seed: int = 0, most_pairs: int = MOST_PAIRS) -> None:
        self._most = max(most_pairs // n_classes, 1)
        self._random = np.random.default_rng(seed)
        self._keys: list[Array] = []
        self._p: list[Array] = []
        self._n = 0

    def add(self, probability: Array) -> None:
        """Add documents x classes."""
        self._keys.append(self._random.random(len(probability)))
        self._p.append(probability)
        self._n += len(probability)
        if self._n > 2 * self._most:
            self._keep_sample()

    def decider(self, measure: str, average: str) -> Callable[[Array], Labels]:
        """Return the rule that `choose_one` finds."""
        self._keep_sample()
        decided = choose_one(self._p[0], parse(measure), average)
        return _rule_of(decided).labels

    def _keep_sample(self) -> None:
        keys, p = np.concatenate(self._keys), np.concatenate(self._p)
        if len(keys) > self._most:
            kept = np.sort(np.argpartition(keys, self._most)[: self._most])
            keys, p = keys[kept], p[kept]
        self._keys, self._p, self._n = [keys], [p], len(keys)


def _rule_of(decided: Decided) -> OneLabelRule:
    """Return the rule of labels that were chosen under exactly one label per document."""
    if decided.rule is None:
        raise TypeError("decided must have a rule, but has none")
    return decided.rule


def probabilities_of(training: Training, seed: int, task: str = MULTI_LABEL) -> Any:
    """Return a function from scores and features of documents to P(document belongs to class)."""
    return fit_calibrator(training, seed, task).probabilities


def _cut(p: Array, n_others: float, sum_others: float, measure: str) -> float:
    if not len(p):
        return NO_LABEL
    p = -np.sort(-p)
    others = Ordered(np.array([sum_others / max(n_others, 1.0)]), np.array([n_others]), 1.0, 1.0)
    last = last_label(Ordered(p), parse(measure), others)
    return NO_LABEL if last is None else float(p[last])
