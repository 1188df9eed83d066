"""`compare`: the figures of several orders of the same documents, with paired intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.experiments.comparison.bootstrap import Evaluation
from satc.experiments.comparison.contenders import Case, SeedRun
from satc.experiments.comparison.figures import Figures
from satc.measures import Measure, parse

Array = NDArray[np.float64]

N_RESAMPLES = 500
LEVEL = 0.95  # of the intervals


class Figure(NamedTuple):
    """One figure of one contender.

    Attributes
    ----------
    value : float
        The mean over the seeds; NaN if the figure is not defined.
    low, high : float
        The interval over resampled documents.
    difference, difference_low, difference_high : float
        The same for the difference from the reference, on the same resamples.
    """

    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval of the difference does not hold 0."""
        return self.difference_low > 0 or self.difference_high < 0


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of a comparison.

    Attributes
    ----------
    cases : list of Case
        The contenders; the first is the reference that the others are compared with.
    names : tuple of str
        The names of the figures.
    table : mapping from a case to a mapping from the name of a figure to a `Figure`
    curves : mapping from a case to an array
        The measure while people check documents, of the first seed.
    n_documents, n_seeds, n_resamples : int
    """

    cases: Sequence[Case]
    names: tuple[str, ...]
    table: Mapping[Case, Mapping[str, Figure]]
    curves: Mapping[Case, Array]
    n_documents: int
    n_seeds: int
    n_resamples: int

    @property
    def reference(self) -> Case:
        """The case that the others are compared with."""
        return self.cases[0]

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-serialisable data; a figure that is not defined is None."""
        return {
            "reference": str(self.reference),
            "documents": self.n_documents,
            "seeds": self.n_seeds,
            "resamples": self.n_resamples,
            "level": LEVEL,
            "rows": [
                {"method": one.method, "labels": one.decide}
                | {name: _plain(self.table[one][name]) for name in self.names}
                for one in self.cases
            ],
        }


def compare(
    runs: Sequence[SeedRun],
    *,
    measure: str | Measure = "f1",
    average: str = "macro",
    figures: Figures | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Evaluate the contenders of each seed, on all documents and on resamples of them.

    Parameters
    ----------
    runs : sequence of SeedRun
        One for each seed, with the same contenders; the first contender is the reference.
    measure, average
        As for `satc.rank`.
    figures : Figures, optional
        What is read from each curve.
    n_resamples : int
        How many resamples the intervals come from.
    random_state : int
    progress : callable, optional
        Is told how many resamples are done, and how many there are.
    """
    figures = figures or Figures()
    cases = [one.case for one in runs[0].contenders]
    if any([one.case for one in run.contenders] != cases for run in runs):
        raise ValueError("runs must have the same contenders in the same order, but have not")
    evaluations = [
        Evaluation(run, figures, parse(measure), average, random_state + k)
        for k, run in enumerate(runs)
    ]
    values = np.mean([one.on_all() for one in evaluations], axis=0)
    samples = np.empty((n_resamples, *values.shape))
    for b in range(n_resamples):
        samples[b] = evaluations[b % len(evaluations)].on_resample()
        if progress:
            progress(b + 1, n_resamples)
    table = {case: _figures_of(figures.names, values, samples, k) for k, case in enumerate(cases)}
    curves = {case: evaluations[0].value(k) for k, case in enumerate(cases)}
    n_documents = len(runs[0].given.y_true)
    return Comparison(cases, figures.names, table, curves, n_documents, len(runs), n_resamples)


def _figures_of(names: Sequence[str], values: Array, samples: Array, k: int) -> dict[str, Figure]:
    differences = samples[:, k] - samples[:, 0]
    low, high = _interval(samples[:, k])
    less, more = _interval(differences)
    return {
        name: Figure(
            *(float(x[j]) for x in (values[k], low, high, values[k] - values[0], less, more))
        )
        for j, name in enumerate(names)
    }


def _interval(samples: Array) -> tuple[Array, Array]:
    """Return the ends of the interval of each column; NaN where a resample has no value."""
    if not len(samples):
        none = np.full(samples.shape[1], np.nan)
        return none, none
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(samples, [tail, 1.0 - tail], axis=0)
    return np.asarray(low), np.asarray(high)


def _plain(figure: Figure) -> dict[str, float | None]:
    rounded = {name: round(value, 6) for name, value in figure._asdict().items()}
    return {name: None if np.isnan(value) else value for name, value in rounded.items()}
