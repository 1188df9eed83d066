"""`rank` over stored scores: utilities, the top, and the whole order.

Documents come by decreasing utility; among equals, the smaller id comes first. In memory ties go
by index, so the two agree where documents stand in the order of their ids.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ibis
import pyarrow as pa

from satc.calibration.contextual import check_enough
from satc.calibration.sigma import GAPS
from satc.errors import CalibrationWarning, DataError
from satc.gains import Gains
from satc.inputs import as_labels, choice
from satc.measures import Measure, parse
from satc.ranking.methods import Method, parse_method
from satc.scale.contextual import contextual_utilities
from satc.scale.estimates import Estimates, estimates_of_arrays
from satc.scale.exact import rounded
from satc.scale.flaws import explain_flaw
from satc.scale.stored import StoredScores
from satc.scale.utilities import utilities


@dataclass(frozen=True, eq=False)
class StoredRanking:
    """Stored documents by decreasing utility.

    Attributes
    ----------
    expression : Ibis table
        ``document``, ``utility`` and ``flaws`` (see `satc.scale.utilities`), in no order.
    gains : Gains
        What a correction is worth, class by class.
    sigma : float or None
        The growth rate, for methods that have one.
    """

    scores: StoredScores
    expression: Any
    gains: Gains
    sigma: float | None

    @property
    def order(self) -> Any:
        """Expression: the documents, best first; those that cannot be ranked stand in front."""
        table = self.expression
        return table.order_by(ibis.desc(table.flaws > 0), ibis.desc(table.utility), table.document)

    def top(self, n: int) -> pa.Table:
        """Return the first documents: ``rank``, ``document``, ``utility``."""
        if n < 1:
            raise ValueError(f"n must be at least 1, but is {n}")
        return self._checked(self.scores.engine.run(self.order.limit(n)), 0)

    def batches(self) -> Iterator[pa.Table]:
        """Return the whole order, batch by batch."""
        start = 0
        for batch in self.scores.engine.batches(self.order):
            yield self._checked(pa.Table.from_batches([batch]), start)
            start += len(batch)

    def _checked(self, rows: pa.Table, start: int) -> pa.Table:
        if len(rows) and rows["flaws"][0].as_py() != 0:
            raise DataError(explain_flaw(self.scores, rows["document"][0].as_py()))
        places = pa.array(range(start + 1, start + len(rows) + 1), pa.int64())
        return rows.select(["document", "utility"]).add_column(0, "rank", places)


def rank(
    scores: StoredScores,
    *,
    oof_scores: Any = None,
    y_train: Any = None,
    estimates: Estimates | None = None,
    method: str = "contextual",
    measure: str | Measure = "f1",
    average: str = "macro",
    sigma: float | None = None,
    random_state: int = 0,
) -> StoredRanking:
    """Rank stored documents by what validating each of them is expected to bring.

    Parameters
    ----------
    scores : StoredScores
        From `stored_scores`.
    oof_scores, y_train : arrays of shape (n_train, n_classes)
        Out-of-fold scores and true labels of the training documents, as for `satc.rank`.
    estimates : Estimates, optional
        In their place, for all but the contextual methods: from `estimates_of_pairs`.
    method, measure, average, sigma, random_state
        As for `satc.rank`, without the oracles and ``random``.
    """
    chosen, parsed = parse_method(method), parse(measure)
    choice(average, GAPS, "average")
    if chosen.probability not in ("sigma", "context") or chosen.needs_truth:
        raise ValueError(
            f"method must be one that ranks without true labels at scale, but is {method!r}"
        )
    if chosen.probability == "context" and estimates is not None:
        raise ValueError(f"method {method!r} needs oof_scores and y_train, but got estimates")
    if estimates is None and (oof_scores is None or y_train is None):
        raise ValueError(
            f"method {method!r} needs oof_scores and y_train, the out-of-fold scores and the "
            "true labels of the training documents"
        )
    if chosen.probability == "context" and _has_context(y_train):
        expression, gains = contextual_utilities(
            scores, oof_scores, y_train, parsed, average, random_state
        )
        return StoredRanking(scores, expression, gains, None)
    if estimates is None:
        estimates = estimates_of_arrays(
            scores.classes, oof_scores, y_train, average=average, sigma=sigma
        )
    return _by_sigma(scores, estimates, parse_method(chosen.plain), parsed, average)


def _by_sigma(
    scores: StoredScores, estimates: Estimates, method: Method, measure: Measure, average: str
) -> StoredRanking:
    if estimates.classes != scores.classes:
        raise ValueError(
            f"estimates must be of the classes of the scores, {len(scores.classes)} in their "
            f"order, but are of {len(estimates.classes)} or in another order"
        )
    n = 1 if method.tables == "none" else scores.n_documents
    gains = rounded(estimates.gains(method, measure, average, n))
    return StoredRanking(scores, utilities(scores, estimates.sigma, gains), gains, estimates.sigma)


def _has_context(y_train: Any) -> bool:
    try:
        check_enough(as_labels(y_train, "y_train"))
    except ValueError as error:
        warnings.warn(
            f"{error}: the paper's own method is used instead", CalibrationWarning, stacklevel=3
        )
        return False
    return True
