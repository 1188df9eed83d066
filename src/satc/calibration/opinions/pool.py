"""The scores of a classifier and further opinions, pooled into one log-odds for each pair.

The classifier's scores become log-odds by class-wise Platt scaling. Then one opinion after the
other is added (`combination`). An opinion is heard only if it makes the labels of held-out
documents more likely, by more than chance: so a useless one changes nothing. Beside that, the
log-odds of every opinion alone are kept: they say who thinks what, and are features of the
contextual model.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from satc.calibration.evidence import Opinions, is_there
from satc.calibration.logistic import row_blocks
from satc.calibration.opinions.combination import Combination
from satc.calibration.platt import PlattCalibrator
from satc.inputs import Labels, Scores

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_LEAST_GAIN = 2.0  # standard errors by which an opinion must raise the likelihood to be heard


class Pooled(NamedTuple):
    """The log-odds of documents."""

    logits: Array  # of all opinions together
    alone: Mapping[str, Array]  # of each opinion alone; where it says nothing, those of all


class _Heard(NamedTuple):
    """An opinion that is heard: what it adds, and what it says alone."""

    adds: Combination
    alone: PlattCalibrator


class OpinionPool:
    """Class-wise log-odds from scores and opinions; without opinions, those of Platt scaling.

    Attributes
    ----------
    heard : mapping from the names of opinions
        Those that are heard.
    held_out : list of OpinionPool
        One for each fold of the training documents, fitted to the other folds.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.random((500, 3)) < 0.3
    >>> scores, second = (2.0 * labels - 1.0 + rng.normal(size=labels.shape) for _ in range(2))
    >>> both = {"second": second, "chance": rng.normal(size=labels.shape)}
    >>> pool = OpinionPool().fit(scores, both, labels, np.arange(500) % 5)
    >>> list(pool.heard)
    ['second']
    >>> wrong = [np.mean((one > 0) != labels) for one in (scores, pool.logits(scores, both))]
    >>> bool(wrong[1] < wrong[0])
    True
    """

    platt: PlattCalibrator
    heard: dict[str, _Heard]

    def fit(self, scores: Scores, opinions: Opinions, labels: Labels, fold: Indices) -> Self:
        """Learn what the scores and each opinion are worth.

        `fold` is the fold of each document, from 0 on.
        """
        self.platt, self.heard = PlattCalibrator().fit(scores, labels), {}
        self.held_out = [
            self._with(platt) for platt in self.platt.refit_folds(scores, labels, fold)
        ]
        for name, opinion in opinions.items():
            self._listen(name, opinion, scores, opinions, labels, fold)
        return self

    def logits(self, scores: Scores, opinions: Opinions, columns: Any = slice(None)) -> Array:
        """Return the log-odds of documents; of pairs, if their columns are given."""
        logits = self.platt.logits(scores, columns)
        for name, one in self.heard.items():
            logits = one.adds.log_odds(logits, opinions[name], columns)
        return logits

    def pooled(self, scores: Scores, opinions: Opinions, *, alone: bool = True) -> Pooled:
        """Return the log-odds of documents and, if wanted, those of each opinion alone."""
        logits, of_each = self.logits(scores, opinions), {}
        for name, one in self.heard.items() if alone else ():
            own = one.alone.logits(opinions[name])
            of_each[name] = np.where(np.isfinite(own), own, logits)
        return Pooled(logits, of_each)

    def _with(self, platt: PlattCalibrator) -> OpinionPool:
        other = copy(self)
        other.platt, other.heard = platt, {}
        return other

    def _listen(
        self,
        name: str,
        opinion: Array,
        scores: Scores,
        opinions: Opinions,
        labels: Labels,
        fold: Indices,
    ) -> None:
        """Learn what an opinion adds; keep it if it adds something to documents held out."""

        def believed(pool: OpinionPool) -> Any:
            return lambda rows: pool.logits(scores[rows], _rows(opinions, rows))

        adds = Combination().fit(believed(self), opinion, labels)
        if not adds.is_learnt:
            return
        steps = [
            adds.refit(believed(pool), opinion, labels, fold != k)
            for k, pool in enumerate(self.held_out)
        ]
        gains = np.zeros(len(labels))
        for k, (pool, step) in enumerate(zip(self.held_out, steps, strict=True)):
            for rows in _blocks(np.flatnonzero((fold == k) & is_there(opinion)), labels.shape[1]):
                before = believed(pool)(rows)
                after = step.log_odds(before, opinion[rows])
                gains[rows] = _likelihood(after, labels[rows]) - _likelihood(before, labels[rows])
        if gains.sum() <= _LEAST_GAIN * np.sqrt(len(gains)) * gains.std():
            return
        there = is_there(opinion)
        alone = PlattCalibrator().fit(opinion[there], labels[there])
        self.heard[name] = _Heard(adds, alone)
        for k, (pool, step) in enumerate(zip(self.held_out, steps, strict=True)):
            known = (fold != k)[there]
            pool.heard[name] = _Heard(step, alone.refit(opinion[there], labels[there], known))


def _rows(opinions: Opinions, rows: Any) -> dict[str, Array]:
    return {name: one[rows] for name, one in opinions.items()}


def _blocks(rows: Indices, n_classes: int) -> list[Indices]:
    return [rows[block] for block in row_blocks(len(rows), n_classes)] if len(rows) else []


def _likelihood(logits: Array, labels: Labels) -> Array:
    """Return the log-likelihood of the labels of each document."""
    return -np.logaddexp(0.0, np.where(labels, -logits, logits)).sum(axis=1)
