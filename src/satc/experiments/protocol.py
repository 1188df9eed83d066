"""The protocol of the paper: rank by every method, simulate validation, average (Section 6.1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.sigma import calibrate_sigma
from satc.datasets.dataset import Dataset
from satc.evaluation.significance import paired_t_test
from satc.experiments.published import METHODS, XIS
from satc.experiments.scores import CachedScores
from satc.simulation import Simulation, simulate

Array = NDArray[np.float64]
AVERAGES = ("macro", "micro")
CURVE_POINTS = 201


@dataclass
class Outcome:
    """The results of one learner on one dataset."""

    dataset: str
    learner: str
    n_tests: int
    n_train: int
    n_test: float
    n_classes: int
    labels_per_document: float
    error: dict[str, float] = field(default_factory=dict)  # initial error, by average
    sigma: dict[str, float] = field(default_factory=dict)  # by average
    ener: dict[str, dict[str, list[float]]] = field(default_factory=dict)  # by average and method
    significant: dict[str, bool] = field(default_factory=dict)  # by "method|method"
    seconds: dict[str, float] = field(default_factory=dict)  # by method
    curves: dict[str, list[float]] = field(default_factory=dict)  # ER^M, by method


class _Part(NamedTuple):
    scores: Array
    labels: NDArray[np.bool_]


def evaluate(
    dataset: Dataset,
    learner: str,
    scores: CachedScores,
    *,
    methods: Sequence[str] = METHODS,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Run every method on every test set, with macro and micro averages."""
    parts = _parts(dataset, scores.test)
    outcome = Outcome(
        dataset.name,
        learner,
        len(parts),
        len(dataset.train),
        float(np.mean([len(part.scores) for part in parts])),
        len(dataset.classes),
        float(np.mean(dataset.test.labels.sum(axis=1))),
    )
    runs = [(average, method) for average in AVERAGES for method in (*methods, "random")]
    per_method: dict[str, Array] = {}
    for k, (average, method) in enumerate(runs):
        if average not in outcome.sigma:
            outcome.sigma[average] = calibrate_sigma(scores.oof, dataset.train.labels, average)
        start = time.perf_counter()
        sims = [
            simulate(
                part.scores,
                part.labels,
                oof_scores=scores.oof,
                y_train=dataset.train.labels,
                method=method,
                average=average,
                sigma=outcome.sigma[average],
                n_trials=max(1, 100 // len(parts)),
            )
            for part in parts
        ]
        seconds = (time.perf_counter() - start) / len(parts)
        _record(outcome, average, method, sims, seconds)
        if average == "macro" and method != "random":
            per_method[method] = _observations(sims)
        if progress:
            progress(k + 1, len(runs))
    outcome.significant = _significance(per_method)
    return outcome


def _parts(dataset: Dataset, test_scores: Array) -> list[_Part]:
    """Split the test scores into the test sets of the dataset."""
    row = {identifier: i for i, identifier in enumerate(dataset.test.ids)}
    return [
        _Part(test_scores[[row[identifier] for identifier in part.ids]], part.labels)
        for part in dataset.tests
    ]


def _record(
    outcome: Outcome, average: str, method: str, sims: list[Simulation], seconds: float
) -> None:
    """Store the means over the test sets in the outcome."""
    ener = [float(np.mean([sim.ener(xi) for sim in sims])) for xi in XIS]
    outcome.ener.setdefault(average, {})[method] = ener
    errors = [sim.reduction.residual_error[0] for sim in sims]
    outcome.error[average] = float(np.mean(errors))
    if average == "macro":
        outcome.seconds[method] = seconds
        grid = np.linspace(0, 1, CURVE_POINTS)
        curves = [
            np.interp(grid, np.linspace(0, 1, len(sim.error_reduction)), sim.error_reduction)
            for sim in sims
        ]
        outcome.curves[method] = np.mean(curves, axis=0).round(5).tolist()


def _observations(sims: list[Simulation]) -> Array:
    """Return the observations of the t-test: test sets if there are several, else classes."""
    if len(sims) > 1:
        return np.array([sim.ener(0.10) for sim in sims])
    return sims[0].reduction.class_ener(0.10)


def _significance(per_method: dict[str, Array]) -> dict[str, bool]:
    names = list(per_method)
    return {
        f"{a}|{b}": paired_t_test(per_method[a], per_method[b]).significant()
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }
