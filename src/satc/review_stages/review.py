"""`two_stage`: which documents go to which reviewer, and what is done with each document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.review_stages.costs import ACTIONS, ERRORS, PRICES, CostOfReview, ReviewCosts
from satc.review_stages.risk import SecondStage, least_risk, second_stage

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TwoStageReview:
    """The plan of a review for responsiveness and privilege.

    Attributes
    ----------
    action : array of str
        What to do with each document if nobody reads it: ``produce``, ``log`` or ``withhold``.
    to_responsiveness : bool array
        The documents to be read for responsiveness now, by the junior reviewer.
    to_privilege : bool array
        The documents to be read for privilege now, by the senior reviewer. Whether a document of
        ``to_responsiveness`` follows depends on the answer: call `two_stage` again with it.
    later_to_privilege : float array
        For the documents of ``to_responsiveness``, the probability that they follow; 0 elsewhere.
    expected_cost : float array
        The expected cost of each document, with the reviewers that it is still to be given to.
    saved : float array
        By how much the plan lowers the expected cost of each document.
    before, after : CostOfReview
        The expected cost of all documents if nobody reads any more, and if the plan is carried
        out. Both contain the price of the answers that are known.
    """

    action: NDArray[np.str_]
    to_responsiveness: Flags
    to_privilege: Flags
    later_to_privilege: Array
    expected_cost: Array
    saved: Array
    before: CostOfReview
    after: CostOfReview


class _Plan(NamedTuple):
    asked: Flags  # for responsiveness
    now: SecondStage  # of the documents that are not asked for responsiveness
    later: Array  # P(read for privilege) after an answer on responsiveness
    cost: Array
    errors: Array


def two_stage(
    responsive: Any,
    privileged: Any,
    *,
    costs: Any = ERRORS,
    prices: Any = PRICES,
    known_responsive: Mapping[int, Any] | None = None,
    known_privileged: Mapping[int, Any] | None = None,
    look_ahead: bool = True,
) -> TwoStageReview:
    """Plan a review for responsiveness and privilege at the least expected cost.

    A document is given to a reviewer if the expected cost of wrong actions falls by more than the
    reviewer's price (Oard, Sebastiani, Vinjumur 2018). Reviewers are taken to be right.

    Parameters
    ----------
    responsive, privileged : arrays of shape (n_documents,)
        Calibrated probabilities, such as two columns of ``satc.rank(...).probability``. They are
        taken to be independent of each other.
    costs : array of shape (3, 3), or mapping from (action, right action) to a cost
        What a wrong action costs; rows are actions, columns the right ones, in the order produce,
        log, withhold.
    prices : pair of numbers
        The price of reading one document for responsiveness, and for privilege.
    known_responsive, known_privileged : mappings from document index to bool, optional
        The answers of the reviewers so far.
    look_ahead : bool
        Whether the first stage counts that a document may go to the second stage afterwards. With
        False, each stage is planned as if it was the last, as in the paper.

    Returns
    -------
    TwoStageReview

    Examples
    --------
    >>> import satc
    >>> review = satc.two_stage([0.99, 0.4, 0.01, 0.9], [0.01, 0.01, 0.9, 0.5])
    >>> review.action.tolist()
    ['produce', 'produce', 'withhold', 'withhold']
    >>> review.to_responsiveness.tolist(), review.to_privilege.tolist()
    ([False, True, False, False], [True, False, False, True])
    >>> review.before.total > review.after.total
    True
    """
    given = ReviewCosts.of(costs, prices)
    r, p = _checked(responsive, "responsive"), _checked(privileged, "privileged")
    if len(r) != len(p):
        raise ValueError(
            f"responsive and privileged must have one probability per document, but have {len(r)} "
            f"and {len(p)}"
        )
    r, r_known = _with_answers(r, known_responsive, "known_responsive")
    p, p_known = _with_answers(p, known_privileged, "known_privileged")
    plan = _plan(r, p, given, ~r_known, ~p_known, look_ahead)
    now = least_risk(r, p, given.errors)
    paid = given.responsiveness * r_known.sum() + given.privilege * p_known.sum()
    spent = plan.cost.sum() - plan.errors.sum()
    return TwoStageReview(
        np.array(ACTIONS)[now.action],
        plan.asked,
        plan.now.asked & ~plan.asked,
        np.where(plan.asked, plan.later, 0.0),
        plan.cost,
        now.cost - plan.cost,
        CostOfReview(float(paid), float(now.cost.sum())),
        CostOfReview(float(paid + spent), float(plan.errors.sum())),
    )


def _plan(
    r: Array, p: Array, costs: ReviewCosts, can_ask: Flags, can_follow: Flags, look_ahead: bool
) -> _Plan:
    """Plan both stages; `can_ask` and `can_follow` are False where the answer is known."""
    now = second_stage(r, p, costs, can_follow)
    if_yes, if_no = (second_stage(known, p, costs, can_follow) for known in (1.0, 0.0))
    later = r * if_yes.asked + (1.0 - r) * if_no.asked
    cost = costs.responsiveness + r * if_yes.cost + (1.0 - r) * if_no.cost
    errors = r * if_yes.errors + (1.0 - r) * if_no.errors
    if look_ahead:
        asked = cost < now.cost
    else:
        alone = r * _risk(1.0, p, costs) + (1.0 - r) * _risk(0.0, p, costs)
        asked = alone + costs.responsiveness < _risk(r, p, costs)
    asked &= can_ask
    return _Plan(
        asked, now, later, np.where(asked, cost, now.cost), np.where(asked, errors, now.errors)
    )


def _risk(r: Any, p: Array, costs: ReviewCosts) -> Array:
    return least_risk(r, p, costs.errors).cost


def _checked(probability: Any, name: str) -> Array:
    found = np.asarray(probability, dtype=np.float64)
    if found.ndim != 1:
        raise ValueError(
            f"{name} must have one probability per document, but has the shape {found.shape}"
        )
    if not ((found >= 0.0) & (found <= 1.0)).all():
        raise ValueError(f"{name} must hold probabilities from 0 to 1, but does not")
    return found


def _with_answers(
    probability: Array, known: Mapping[int, Any] | None, name: str
) -> tuple[Array, Flags]:
    """Return the probabilities with the answers of a reviewer, and where these are known."""
    found, is_known = probability.copy(), np.zeros(len(probability), dtype=bool)
    for i, answer in (known or {}).items():
        if not 0 <= i < len(found):
            raise ValueError(
                f"{name} must map documents, 0 to {len(found) - 1}, to answers, but has the "
                f"document {i}"
            )
        if answer not in (0, 1):
            raise ValueError(
                f"{name} must map documents to True or False, but maps {i} to {answer!r}"
            )
        found[i], is_known[i] = float(answer), True
    return found, is_known
