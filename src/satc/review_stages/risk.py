"""The risk of documents: what the best action is expected to cost, before and after reading.

With r = P(responsive) and p = P(privileged), a document is to be produced with probability
r (1 - p), logged with r p, and withheld with 1 - r. The *risk* is the expected cost of the action
that costs least. Reading for responsiveness makes r 1 or 0, reading for privilege p. A reviewer is
asked if the risk is expected to fall by more than the price. The functions work element by element.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.review_stages.costs import ReviewCosts

Array = NDArray[np.float64]


class Risk(NamedTuple):
    """The action that is expected to cost least, and what it is expected to cost."""

    action: NDArray[np.int64]  # places in `costs.ACTIONS`
    cost: Array


class SecondStage(NamedTuple):
    """What becomes of a document after the first stage."""

    asked: NDArray[np.bool_]  # whether it is read for privilege
    cost: Array  # expected cost: of the reading, and of wrong actions
    errors: Array  # the part of wrong actions


def least_risk(r: Any, p: Any, errors: Array) -> Risk:
    """Return the best action; of equal ones, the first in the order produce, log, withhold.

    >>> risk = least_risk(0.9, 0.2, np.array([[0, 10, 1], [3, 0, 1], [2, 2, 0]]))
    >>> int(risk.action), float(risk.cost.round(2))
    (2, 1.8)
    """
    r, p = np.broadcast_arrays(np.asarray(r, dtype=np.float64), np.asarray(p, dtype=np.float64))
    right = np.stack([r * (1.0 - p), r * p, 1.0 - r])  # probabilities of the right actions
    costs = np.tensordot(errors, right, 1)
    action = costs.argmin(axis=0)
    return Risk(action, costs.min(axis=0))


def after_privilege(r: Any, p: Any, errors: Array) -> Array:
    """Return the risk that is expected to be left after reading for privilege."""
    p = np.asarray(p, dtype=np.float64)
    private, open_ = (least_risk(r, known, errors).cost for known in (1.0, 0.0))
    return np.asarray(p * private + (1.0 - p) * open_)


def second_stage(r: Any, p: Any, costs: ReviewCosts, can_ask: Any = True) -> SecondStage:
    """Return which documents are read for privilege, and what they are expected to cost.

    `can_ask` is False where privilege is known already.
    """
    now, later = least_risk(r, p, costs.errors).cost, after_privilege(r, p, costs.errors)
    asked = (later + costs.privilege < now) & can_ask
    errors = np.where(asked, later, now)
    return SecondStage(asked, errors + costs.privilege * asked, errors)
