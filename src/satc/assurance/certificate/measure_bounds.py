"""Lower bounds on the measures of multi-label data, from the errors that were found.

The bounds for a declared cap are the lowest of those for this cap and for all smaller caps that
the audit has not refuted. The bound for the cap itself is valid, and a lower number is valid as
well. A smaller cap takes the lowest of fewer numbers, so its bounds are never looser. Bets for a
smaller cap are larger, and now and then they lose more; without this rule, a smaller cap would
then give a looser bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from satc.assurance.certificate.betting import Strategy, upper_mean
from satc.assurance.certificate.found_errors import FoundErrors
from satc.assurance.certificate.macro_bound import macro_lowest, macro_weights
from satc.assurance.certificate.micro_bound import micro_lowest, micro_weights

# The share of the permitted error probability that is used for the bound on people's errors.
_REPEATS_SHARE = 0.2
_MEASURES = {"micro-F1": 1.0, "precision": 0.0, "recall": math.inf}


class Bound(NamedTuple):
    """A measure of the present labels, and its lower bound."""

    measure: str
    low: float


class HumanErrors(NamedTuple):
    """A bound on people's errors per document, and the error probability left for the rest."""

    rate: float
    error: float


class MeasureBounds(NamedTuple):
    """Lower bounds of the measures, and the bound on people's errors that they allow for."""

    bounds: tuple[Bound, ...]
    human: HumanErrors


def human_errors(
    repeats: Sequence[int], largest: int, error: float, strategy: Strategy
) -> HumanErrors:
    """Bound the errors that people leave in a document, from the documents shown twice."""
    if not repeats:
        return HumanErrors(0.0, error)
    share = _REPEATS_SHARE * error
    values = np.asarray(repeats, dtype=np.float64)
    return HumanErrors(upper_mean(values, float(largest), share, strategy), error - share)


def bounds_for_cap(
    found: FoundErrors, repeats: Sequence[int], error: float, aim: float
) -> MeasureBounds:
    """Return the bounds that hold if no unread document lacks more labels than `found.cap`."""
    human = human_errors(repeats, found.cap, error, found.strategy)
    bounds = (*_micro_bounds(found, *human, aim), macro_bound(found, *human))
    return MeasureBounds(bounds, human)


def lowest_bounds(
    found: FoundErrors, repeats: Sequence[int], error: float, aim: float
) -> MeasureBounds:
    """Return, for each measure, the lowest bound of all caps up to `found.cap`."""
    smallest = max(1, found.most_missed, *repeats)
    # No document lacks more labels than there are classes.
    largest = max(smallest, min(found.cap, len(found.n_labels)))
    caps = range(smallest, largest + 1)
    each = [bounds_for_cap(replace(found, cap=cap), repeats, error, aim) for cap in caps]
    per_measure = zip(*(one.bounds for one in each), strict=True)
    lowest = tuple(min(same, key=attrgetter("low")) for same in per_measure)
    return MeasureBounds(lowest, max(one.human for one in each))


def macro_bound(found: FoundErrors, human: float, error: float) -> Bound:
    """Return the lower bound of macro-F1; `human` is people's label errors per document."""
    return Bound("macro-F1", _macro_low(found, human, error))


def _micro_bounds(found: FoundErrors, human: float, error: float, aim: float) -> list[Bound]:
    n_labels = found.n_labels.sum()
    bounds = []
    # An error rate of people concerns all documents: they make errors in the documents that they
    # validate, and overlook errors in the documents that they audit.
    for name, beta in _MEASURES.items():
        weights = micro_weights(beta, aim)
        errors = found.errors_left(weights.fp, weights.fn, error)
        by_people = human * found.n_documents
        low = micro_lowest(beta, aim, errors, n_labels, found.unread.sum(), by_people)
        bounds.append(Bound(name, low))
    return bounds


def _macro_low(found: FoundErrors, human: float, error: float) -> float:
    if not found.n_unread and not human:  # people have validated everything without errors
        return 1.0
    labels, unread = found.labels_before_audit()
    weights = macro_weights(2 * labels - unread, found.cap + found.most_assigned, error)
    if not weights.any():
        return 0.0
    errors = found.errors_left(weights, weights, error)
    errors += float(weights.max()) * human * found.n_documents
    return macro_lowest(weights, 2 * found.n_labels - found.unread, errors)
