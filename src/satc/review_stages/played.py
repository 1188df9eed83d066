"""`play`: a two-stage review in which true labels replace the reviewers.

It says what a review costs really, where `two_stage` says what it is expected to cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import as_labels
from satc.review_stages.costs import (
    ACTIONS,
    ERRORS,
    LOG,
    PRICES,
    PRODUCE,
    WITHHOLD,
    CostOfReview,
    ReviewCosts,
)
from satc.review_stages.review import two_stage


@dataclass(frozen=True, eq=False)
class PlayedReview:
    """The true cost of a review, stage by stage.

    Attributes
    ----------
    automatic, first, second : CostOfReview
        If nobody reads; after the reading for responsiveness; after that for privilege.
    manual : CostOfReview
        If every document is read for responsiveness, and every responsive one for privilege.
    n_responsiveness, n_privilege : int
        How many documents were read.
    expected : CostOfReview
        What `two_stage` had expected before the first document was read.
    """

    automatic: CostOfReview
    first: CostOfReview
    second: CostOfReview
    manual: CostOfReview
    n_responsiveness: int
    n_privilege: int
    expected: CostOfReview


def play(
    responsive: Any,
    privileged: Any,
    is_responsive: Any,
    is_privileged: Any,
    *,
    costs: Any = ERRORS,
    prices: Any = PRICES,
    look_ahead: bool = True,
) -> PlayedReview:
    """Play a two-stage review with reviewers who make no mistakes.

    Parameters
    ----------
    responsive, privileged, costs, prices, look_ahead
        As for `satc.two_stage`.
    is_responsive, is_privileged : arrays of shape (n_documents,)
        The true labels.

    Examples
    --------
    >>> played = play([0.9, 0.5, 0.1], [0.1, 0.1, 0.1], [1, 0, 0], [0, 0, 0])
    >>> played.manual
    CostOfReview(annotation=8.0, misclassification=0.0)
    """
    given = ReviewCosts.of(costs, prices)
    r = as_labels(is_responsive, "is_responsive").ravel()
    p = as_labels(is_privileged, "is_privileged").ravel()
    right = np.where(~r, WITHHOLD, np.where(p, LOG, PRODUCE))
    options = {"costs": costs, "prices": prices, "look_ahead": look_ahead}

    def errors(actions: NDArray[np.str_]) -> float:
        taken = np.array([ACTIONS.index(name) for name in actions], dtype=np.int64)
        return float(given.errors[taken, right].sum())

    start = two_stage(responsive, privileged, **options)
    known_r = {i: bool(r[i]) for i in np.flatnonzero(start.to_responsiveness).tolist()}
    middle = two_stage(responsive, privileged, known_responsive=known_r, **options)
    known_p = {i: bool(p[i]) for i in np.flatnonzero(middle.to_privilege).tolist()}
    end = two_stage(
        responsive, privileged, known_responsive=known_r, known_privileged=known_p, **options
    )
    junior, senior = given.responsiveness * len(known_r), given.privilege * len(known_p)
    everything = given.responsiveness * len(r) + given.privilege * int(r.sum())
    return PlayedReview(
        CostOfReview(0.0, errors(start.action)),
        CostOfReview(junior, errors(middle.action)),
        CostOfReview(junior + senior, errors(end.action)),
        CostOfReview(everything, 0.0),
        len(known_r),
        len(known_p),
        start.after,
    )
