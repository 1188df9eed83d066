"""`rank` over stored scores: utilities, the top, and the whole order.

Documents come by decreasing utility; among equals, the smaller id comes first. In memory ties go
by index, so the two agree where documents stand in the order of their ids.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from satc.calibration.contextual.calibrator import ContextualCalibrator, check_enough
from satc.errors import CalibrationWarning, DataError
from satc.gains import Gains
from satc.inputs import as_labels, as_scores, check_average, check_same_shape
from satc.measures import Measure, parse
from satc.ranking.methods import parse_method
from satc.ranking.setting import Setting
from satc.ranking.weights import parse_worth
from satc.scale.contextual import contextual_utilities, expected_cells
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
    scores : StoredScores
    setting : Setting
        What the method stands on, without documents: calibration, and the tables of the whole set.
    gains : Gains
        What a correction is worth, class by class.
    """

    scores: StoredScores
    setting: Setting
    gains: Gains

    @cached_property
    def expression(self) -> Any:
        """Expression: ``document``, ``utility`` and ``flaws`` (see `satc.scale.utilities`)."""
        return utilities_under(self.scores, self.setting, self.gains)

    @property
    def sigma(self) -> float | None:
        """The growth rate, for methods that have one."""
        return self.setting.sigma

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
    class_weights: Any = None,
    error_costs: Any = None,
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
    method, measure, average, sigma, random_state, class_weights, error_costs
        As for `satc.rank`, without the oracles and ``random``.
    """
    chosen, parsed = parse_method(method), parse(measure)
    check_average(average)
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
    m = len(scores.classes)
    setting = Setting(
        np.empty((0, m)),
        chosen,
        parsed,
        average,
        None,
        None,
        None,
        random_state,
        training=None if estimates is not None else _training(oof_scores, y_train),
        worth=parse_worth((0, m), class_weights, None, error_costs),
    )
    if chosen.probability == "context" and _has_context(y_train):
        setting = _in_context(scores, setting)
        return StoredRanking(scores, setting, setting.gains)
    if estimates is None:
        estimates = estimates_of_arrays(
            scores.classes, oof_scores, y_train, average=average, sigma=sigma
        )
    setting = _by_sigma(scores, setting, estimates)
    return StoredRanking(scores, setting, rounded(setting.gains))


def utilities_under(scores: StoredScores, setting: Setting, gains: Gains) -> Any:
    """Expression: document, utility, flaws, when corrections are worth this."""
    if setting.calibrator is not None:
        return contextual_utilities(
            scores, setting.calibrator, gains, setting.average, setting.worth
        )
    if setting.sigma is None:
        raise ValueError(f"method {setting.method.name!r} cannot rank at scale")
    return utilities(scores, setting.sigma, setting.weighed(gains))


def _training(oof_scores: Any, y_train: Any) -> tuple[Any, Any]:
    oof, labels = as_scores(oof_scores, "oof_scores"), as_labels(y_train, "y_train")
    check_same_shape(oof_scores=oof, y_train=labels)
    return oof, labels


def _in_context(scores: StoredScores, setting: Setting) -> Setting:
    seed = setting.random_state if isinstance(setting.random_state, int) else 0
    calibrator = ContextualCalibrator(random_state=seed).fit(*(setting.training or ()))
    tables = expected_cells(scores, calibrator)
    return replace(setting, calibrator=calibrator, class_tables=tables)


def _by_sigma(scores: StoredScores, setting: Setting, estimates: Estimates) -> Setting:
    if estimates.classes != scores.classes:
        raise ValueError(
            f"estimates must be of the classes of the scores, {len(scores.classes)} in their "
            f"order, but are of {len(estimates.classes)} or in another order"
        )
    method = setting.method
    if method.probability == "context":
        method = parse_method(method.plain)
    tables = None
    if method.tables != "none":
        tables = estimates.tables.scaled(scores.n_documents / estimates.n_train)
    return replace(setting, method=method, sigma=estimates.sigma, class_tables=tables)


def _has_context(y_train: Any) -> bool:
    try:
        check_enough(as_labels(y_train, "y_train"))
    except ValueError as error:
        warnings.warn(
            f"{error}: the paper's own method is used instead", CalibrationWarning, stacklevel=3
        )
        return False
    return True
