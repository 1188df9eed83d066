"""The figures of resampled documents: how much they depend on the documents at hand.

Every resample draws as many documents as there are, with replacement, and all contenders are
evaluated on the same documents, so that differences are paired. Labels and orders stay those of the
whole set; a random order is drawn anew. If there are several seeds, resamples take turns with them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.evaluation.resampling import Counts, ResampledCurve
from satc.experiments.comparison.contenders import SeedRun
from satc.experiments.comparison.figures import Figures
from satc.measures import Measure

Array = NDArray[np.float64]

_RANDOM_ORDERS = 20  # over which the figures of a random order are averaged


class Evaluation:
    """Evaluates the contenders of one seed, on all documents or on a resample of them."""

    def __init__(
        self, run: SeedRun, figures: Figures, measure: Measure, average: str, seed: int
    ) -> None:
        self._run, self._figures = run, figures
        self._measure, self._average = measure, average
        self._rng = np.random.default_rng(seed)
        n = len(run.given.y_true)
        self._own = self._curve(run.given.own_labels, np.arange(n))
        self._curves = [
            None if one.order is None else self._curve(one.labels, one.order)
            for one in run.contenders
        ]

    def on_all(self) -> Array:
        """Return contenders x figures, on all documents."""
        counts = np.ones(len(self._run.given.y_true), dtype=np.int64)
        rows = self.on(counts)
        for k, one in enumerate(self._run.contenders):
            if one.order is None:
                drawn = [self._figures_of(k, counts) for _ in range(_RANDOM_ORDERS)]
                rows[k] = np.mean(drawn, axis=0)
        return rows

    def on_resample(self) -> Array:
        """Return contenders x figures, on documents that are drawn with replacement."""
        n = len(self._run.given.y_true)
        return self.on(np.bincount(self._rng.integers(0, n, n), minlength=n))

    def on(self, counts: Counts) -> Array:
        """Return contenders x figures, if document i occurs counts[i] times."""
        return np.array([self._figures_of(k, counts) for k in range(len(self._curves))])

    def value(self, k: int) -> Array:
        """Return the measure while the documents are checked in the order of contender k."""
        return self._at(k).value(np.ones(len(self._run.given.y_true), dtype=np.int64))

    def _figures_of(self, k: int, counts: Counts) -> Array:
        return self._figures.of(self._at(k).value(counts), self._own.start(counts))

    def _at(self, k: int) -> ResampledCurve:
        curve, one = self._curves[k], self._run.contenders[k]
        if curve is not None:
            return curve
        return self._curve(one.labels, self._rng.permutation(len(one.labels)))

    def _curve(self, labels: NDArray[np.bool_], order: NDArray[np.int64]) -> ResampledCurve:
        truth = self._run.given.y_true
        return ResampledCurve(order, labels, truth, self._measure, self._average)
