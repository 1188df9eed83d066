"""Decisions on stored pairs, as expressions: who gets a label, and how likely it is wrong.

The rule stands here once for all expressions. Without cuts, the sign of a score decides. With cuts,
which are chosen for a measure (`cuts`), a pair gets the label if its probability reaches the cut of
its class. Under sigma the probability grows with the score, so a cut is a score. A pair that is not
stored never gets a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.decisions import by_sign
from satc.ranking.model import RankingModel
from satc.ranking.unfetched import LARGEST_IN_CONTEXT, LARGEST_LOGISTIC
from satc.scale.exact import number
from satc.scale.stored import StoredScores

Array = NDArray[np.float64]

_LARGEST_CUT = 1.0 - 2.0**-53  # the probability that the next larger score rounds to 1
_SLACK = 1e-12  # relative; more than the rounding error of a probability


def decided(score: Any, cut: Any = None, absent: float | None = None) -> Any:
    """Expression: whether a pair gets the label, by the sign of its score or by a cut of scores."""
    if cut is None:
        return by_sign(score)
    score = score.cast("float64")
    reached = score >= cut
    return reached if absent is None else reached & (score != number(-absent))


def error_probability(score: Any, sigma: float) -> Any:
    """Expression: P(error) of the sign of a score, 1 / (1 + e^(sigma |score|)) (Equation 6)."""
    return 1.0 / (1.0 + (score.cast("float64").abs() * number(sigma)).exp())


def membership_probability(score: Any, sigma: float) -> Any:
    """Expression: P(document belongs to class)."""
    wrong = error_probability(score, sigma)
    return ibis.ifelse(decided(score), 1.0 - wrong, wrong)


@dataclass(frozen=True, eq=False)
class ScoreRule:
    """Decisions from scores and sigma: sigma, the cuts of scores (or None: signs), `absent`."""

    sigma: float
    cuts: Array | None = None
    absent: float | None = None

    @classmethod
    def of(cls, model: RankingModel, absent: float | None) -> ScoreRule:
        """Return the rule of a model that has a sigma, for scores with absent pairs or without."""
        if model.sigma is None:
            raise ValueError(f"method {model.method.name!r} cannot rank at scale")
        return cls(model.sigma, score_cuts(model.cuts, model.sigma), absent)

    @cached_property
    def largest_error(self) -> float:
        """The largest value that P(error) can have."""
        return LARGEST_LOGISTIC if self.cuts is None else LARGEST_IN_CONTEXT

    def cut_of(self, label: int) -> Any:
        """Expression: the cut of one class; None where signs decide."""
        return None if self.cuts is None else number(self.cuts[label])

    def decided(self, score: Any, cut: Any) -> Any:
        """Expression: whether a pair gets the label."""
        return decided(score, cut, self.absent)

    def wrong(self, score: Any, label: Any) -> Any:
        """Expression: P(error) of a decision; `label` is the expression of the decision."""
        of_sign = error_probability(score, self.sigma)
        if self.cuts is None:
            return of_sign
        return ibis.ifelse(label == decided(score), of_sign, 1.0 - of_sign)


def score_cuts(cuts: Array | None, sigma: float) -> Array | None:
    """Return the scores whose probability is that of the cuts; a little less, against rounding.

    >>> score_cuts(np.array([0.5, 0.1, np.inf]), 2.0).round(6).tolist()
    [-0.0, -1.098612, inf]
    """
    if cuts is None:
        return None
    p = np.minimum(cuts, _LARGEST_CUT)
    with np.errstate(divide="ignore"):
        odds = np.log(p) - np.log1p(-p)
    return np.where(np.isfinite(cuts), (odds - _SLACK * (1.0 + np.abs(odds))) / sigma, np.inf)


def stored_labels(scores: StoredScores, rule: ScoreRule | None) -> Any:
    """Expression: document, class, one row for each label; without a rule, signs decide."""
    pairs = scores.pairs
    pairs = pairs.mutate(name=pairs["class"].cast("string"))
    if rule is None or rule.cuts is None:
        return pairs.filter(decided(pairs.score)).select("document", **{"class": pairs.name})
    cuts = scores.engine.temporary_table(
        pa.table({"of_class": list(scores.classes), "cut": rule.cuts})
    )
    pairs = pairs.join(cuts, pairs.name == cuts.of_class)
    return pairs.filter(rule.decided(pairs.score, pairs.cut)).select(
        "document", **{"class": pairs.name}
    )
