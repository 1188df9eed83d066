"""The charts of a report: the accuracy over time, and the reliability of the probabilities."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from satc.errors import MissingExtraError
from satc.evaluation.forecast_plot import forecast_chart
from satc.evaluation.plot import drawn_for_page, reliability_chart
from satc.inputs import indicator
from satc.printed.figure import figure
from satc.workbench.model.record import Record
from satc.workbench.model.settings import Settings
from satc.workbench.review.accuracy.live import Point
from satc.workbench.store import Store
from satc.workbench.store.predictions import read_probabilities
from satc.workbench.store.projects import Project

_BINS = 10
_LEAST = 0.01  # pairs of document and class with a smaller probability are not drawn


def accuracy_figure(settings: Settings, points: list[Point] | None) -> Markup | None:
    """Draw the estimated accuracy by the number of documents checked."""
    if not points or len(points) < 2:
        return None
    chosen = [(p.n, getattr(p, settings.average)) for p in points]
    course = zip(*((n, one.value, one.low, one.high) for n, one in chosen), strict=True)
    name = settings.measure_name
    (start, first), (end, last) = chosen[0], chosen[-1]
    label = (
        f"The estimated {name} is {first.value:.3f} after {start:,} documents and "
        f"{last.value:.3f} after {end:,} documents."
    )
    caption = f"Estimated {name} and its 95% interval, by the number of documents checked."
    try:
        observed = [(n, one.value) for n, one in chosen]
        chart = forecast_chart(*course, observed=observed, measure=name)
        return _figure(drawn_for_page(chart), label, caption)
    except MissingExtraError:
        return None


def reliability_figure(store: Store, project: Project, record: Record) -> Markup | None:
    """Draw the share of labels that people gave against the predicted probability."""
    current = record.current_decisions()
    if not current:
        return None
    probability = read_probabilities(store, project)
    given = probability[[one.document for one in current]].ravel()
    truth = indicator([one.labels for one in current], range(probability.shape[1]))
    bins = _bins(given, truth.ravel())
    label = "; ".join(f"{right:.0%} right where {p:.0%} was predicted" for p, right, _ in bins)
    caption = (
        "The share of labels that people gave, by the predicted probability, in the documents "
        "checked. On the dashed line, both are equal."
    )
    try:
        chart = reliability_chart({"checked documents": bins})
        return _figure(drawn_for_page(chart, 300, 300), f"Reliability: {label}.", caption)
    except MissingExtraError:
        return None


def _bins(given: NDArray[np.floating], truth: NDArray[np.bool_]) -> list[tuple[float, float, int]]:
    """Return mean probability, share of labels and number of pairs of each bin that has any."""
    place = np.minimum((given * _BINS).astype(int), _BINS - 1)
    place[given < _LEAST] = -1
    return [
        (float(given[inside].mean()), float(truth[inside].mean()), int(inside.sum()))
        for b in range(_BINS)
        if (inside := place == b).any()
    ]


def _figure(svg: str, label: str, caption: str) -> Markup:
    """Return a chart as part of the page; the renderer escapes its texts."""
    return Markup(figure(svg, label, caption))  # noqa: S704
