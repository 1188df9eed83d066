"""`rank` for stored scores: the utilities, the best documents, or the whole order.

Documents are ordered by decreasing utility; among equal utilities, the smaller id comes first. In
memory, the smaller index comes first, so both orders agree if the documents are sorted by id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

import ibis
import pyarrow as pa
import pyarrow.compute as pc

from satc.arrays.magnitudes import refuse_extreme
from satc.contingency import ContingencyTables
from satc.decisions import OneLabelRule
from satc.errors import DataError
from satc.gains import Gains
from satc.inputs import (
    SINGLE_LABEL,
    are_distributions,
    check_average,
    check_one_label,
    check_task,
)
from satc.measures import parse
from satc.ranking.methods import Method, parse_method
from satc.ranking.model import RankingModel, require_training
from satc.ranking.options import (
    DEFAULTS,
    FOR_MEASURE,
    ModelOptions,
    check_decide,
    shows_options,
    with_defaults,
)
from satc.ranking.preparation import enough_for_context, fit_calibrator, training_of
from satc.ranking.weights import parse_weights
from satc.scale.contextual.passes import (
    bins_of_probabilities,
    contextual_labels,
    contextual_utilities,
    expected_cells,
    keep_errors,
    keep_probabilities,
)
from satc.scale.cuts import best_cuts, bins_of_scores, cells_at
from satc.scale.decisions import ScoreRule, score_cuts, stored_labels
from satc.scale.estimates import Estimates, estimates_of_training
from satc.scale.exact import rounded
from satc.scale.one_label.documents import one_label_labels, one_label_utilities
from satc.scale.one_label.rounds import find_rule
from satc.scale.stored import StoredScores, explain_flaw
from satc.scale.utilities import utilities
from satc.training import Training


@dataclass(frozen=True, eq=False)
class StoredRanking:
    """Stored documents by decreasing utility.

    Attributes
    ----------
    scores : StoredScores
    model : RankingModel
        With the calibration, and the tables of the whole set.
    gains : Gains
        The gains of a correction, one pair per class.
    """

    scores: StoredScores
    model: RankingModel
    gains: Gains
    kept: Any = field(default=None, repr=False)  # probabilities that the engine keeps

    @cached_property
    def expression(self) -> Any:
        """Expression: ``document``, ``utility`` and ``flaws`` (see `satc.scale.utilities`)."""
        return utilities_under(self.scores, self.model, self.gains, self.kept)

    @cached_property
    def labels(self) -> Any:
        """Expression: ``document`` and ``class``, one row for each label that is decided on."""
        if self.model.calibrator is not None and self.model.is_chosen:
            return contextual_labels(self.scores, self.model, self.kept)
        if self.model.task == SINGLE_LABEL:
            return one_label_labels(self.scores, self.model)
        rule = None
        if self.model.cuts is not None:
            rule = ScoreRule.of(self.model, self.scores.absent)
        return stored_labels(self.scores, rule)

    @property
    def cuts(self) -> Any:
        """The smallest probability that gets the label, per class; None where signs decide."""
        return self.model.cuts

    @property
    def rule(self) -> OneLabelRule | None:
        """How the one label of a document was chosen for the measure; None where it was not."""
        return self.model.rule

    @property
    def sigma(self) -> float | None:
        """The growth rate of the logistic function; None for the contextual methods."""
        return self.model.sigma

    @property
    def order(self) -> Any:
        """Expression: documents that cannot be ranked, then the others, best first."""
        table = self.expression
        return table.order_by(ibis.desc(table.flaws > 0), ibis.desc(table.utility), table.document)

    def top(self, n: int) -> pa.Table:
        """Return the best n documents: ``rank``, ``document``, ``utility``."""
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
        if not pc.all(pc.is_finite(rows["utility"])).as_py():
            raise DataError("utilities must be finite, but are not: scores are too large or small")
        ranks = pa.array(range(start + 1, start + len(rows) + 1), pa.int64())
        return rows.select(["document", "utility"]).add_column(0, "rank", ranks)


class StoredRankingOptions(ModelOptions, total=False):
    """Options of `satc.scale.rank`, whose documentation explains them."""

    estimates: Estimates | None
    decide: str


@shows_options(StoredRankingOptions, DEFAULTS)
def rank(scores: StoredScores, **options: Unpack[StoredRankingOptions]) -> StoredRanking:
    """Rank stored documents by the expected gain of validating each of them.

    Parameters
    ----------
    scores : StoredScores
        From `stored_scores`.
    oof_scores, y_train : arrays of shape (n_train, n_classes)
        Out-of-fold scores and true labels of the training documents, as for `satc.rank`.
    training : Training, optional
        Both arrays in one object, instead of `oof_scores` and `y_train`. With its features, the
        contextual methods use similar documents; `stored_scores` then needs `vectors`.
    estimates : Estimates, optional
        From `estimates_of_pairs`, instead of the training documents; not for the contextual
        methods.
    decide : {"sign", "measure"}
        As for `satc.rank`. The cuts of ``measure`` come from a histogram of the probabilities, so
        that the expected value of the measure may be up to 1e-4 below that in memory.
    task : {"multi-label", "single-label"}
        As for `satc.rank`. In a single-label task, ``sign`` takes the stored pair with the largest
        score, and ``measure`` finds the rule of `satc.rank` if there are at most 4 million pairs
        of document and class; for more, it computes at most 10 rounds.
    method, measure, average, sigma, random_state, class_weights, error_costs : optional
        As for `satc.rank`; the oracles and ``random`` are not possible.
    """
    given = with_defaults(options, StoredRankingOptions, DEFAULTS)
    method, estimates = _method(given["method"]), given["estimates"]
    check_average(given["average"])
    check_decide(given["decide"])
    check_task(given["task"])
    chosen = given["decide"] == FOR_MEASURE
    training = training_of(given)
    if training is not None:
        refuse_extreme(training.oof_scores, "oof_scores")
        training = training.with_classes(scores.classes)
    if method.probability == "context" and estimates is not None:
        raise ValueError(f"method {method.name!r} needs oof_scores and y_train, but got estimates")
    if estimates is None:
        require_training(training, method)
    _check_labels(scores, given["task"], training, estimates)
    _check_vectors(scores, training)
    model = RankingModel(
        method,
        parse(given["measure"]),
        given["average"],
        len(scores.classes),
        absent=scores.absent,
        task=given["task"],
        weights=parse_weights(len(scores.classes), given["class_weights"], given["error_costs"]),
        training=None if estimates is not None else training,
        random_state=given["random_state"],
    )
    if method.probability == "context" and training is not None:
        if enough_for_context(training.labels, stacklevel=3):
            return _in_context(scores, model, training, chosen)
        model = replace(model, method=parse_method(method.without_context))
    if estimates is None and training is not None:
        estimates = estimates_of_training(
            scores.classes, training, model.average, given["sigma"], model.own_labels
        )
    model = _with_sigma(scores, model, estimates, chosen)
    return StoredRanking(scores, model, rounded(model.gains))


def utilities_under(
    scores: StoredScores, model: RankingModel, gains: Gains, kept: Any = None
) -> Any:
    """Expression: document, utility, flaws, under these gains; `kept` are known probabilities."""
    if model.calibrator is not None:
        return contextual_utilities(scores, model, gains, kept)
    if model.task == SINGLE_LABEL:
        return one_label_utilities(scores, model, model.weighted(gains))
    return utilities(scores, ScoreRule.of(model, scores.absent), model.weighted(gains))


def _method(name: str) -> Method:
    method = parse_method(name)
    if method.probability not in ("sigma", "context") or method.needs_truth:
        raise ValueError(
            f"method must be one that ranks without true labels at scale, but is {name!r}"
        )
    if method.is_rival:
        raise ValueError(
            "method must be contextual, u-theoretic or baseline for stored scores, but is "
            f"{name!r}, which needs scores in memory"
        )
    return method


def _check_labels(
    scores: StoredScores, task: str, training: Training | None, estimates: Estimates | None
) -> None:
    """Refuse what does not fit the task."""
    if estimates is not None and estimates.task != task:
        raise ValueError(
            f"estimates must be those of the task, {task!r}, but are for {estimates.task!r}: "
            "estimates_of_pairs(..., task=...) counts for a task"
        )
    if task != SINGLE_LABEL:
        return
    if len(scores.classes) < 2:
        raise ValueError(
            "a single-label task needs two classes or more, but the scores have "
            f"{len(scores.classes)}"
        )
    if training is None:
        return
    check_one_label(training.labels, "y_train")
    if are_distributions(training.oof_scores):
        raise ValueError(
            "oof_scores must be scores or logits, but are probabilities that sum to 1: store the "
            "logarithms of such outputs, and give those of oof_scores"
        )


def _check_vectors(scores: StoredScores, training: Training | None) -> None:
    """Refuse features of training documents without those of the documents, and the reverse."""
    if training is not None and training.opinions:
        raise ValueError("opinions need scores in memory: stored scores take none")
    known = training is not None and training.features is not None
    if known and scores.vectors is None:
        raise ValueError(
            "training has features, so stored_scores needs vectors, those of the documents"
        )
    if scores.vectors is not None and not known:
        raise ValueError(
            "stored_scores has vectors, so training needs features, those of its documents"
        )
    if training is not None and training.features is not None:
        sparse = hasattr(training.features, "tocsr")
        if sparse != scores.has_terms:
            needed = "indices and values" if sparse else "lists of all numbers"
            raise ValueError(
                f"vectors must be stored as {needed}, because the features of training are a "
                f"{'sparse matrix' if sparse else 'array'}, but are stored in the other form"
            )


def _in_context(
    scores: StoredScores, model: RankingModel, training: Training, chosen: bool
) -> StoredRanking:
    """Rank with the contextual calibrator; with labels that are chosen for the measure, or not."""
    model = replace(model, calibrator=fit_calibrator(training, model.random_state, model.task))
    if not chosen:
        kept, tables = keep_errors(scores, model)
        model = replace(model, class_tables=tables)
        return StoredRanking(scores, model, model.gains, kept)
    kept = keep_probabilities(scores, model)
    if model.task == SINGLE_LABEL:
        model = replace(model, rule=find_rule(scores, model, kept))
        model = replace(model, class_tables=expected_cells(scores, model, kept))
        return StoredRanking(scores, model, model.gains, kept)
    bins = bins_of_probabilities(scores, model, kept)
    cuts = best_cuts(bins, model)
    model = replace(model, cuts=cuts, class_tables=cells_at(bins, cuts))
    return StoredRanking(scores, model, model.gains, kept)


def _with_sigma(
    scores: StoredScores, model: RankingModel, estimates: Estimates, chosen: bool
) -> RankingModel:
    if estimates.classes != scores.classes:
        raise ValueError(
            f"estimates must have the {len(scores.classes)} classes of the scores, in the same "
            f"order, but have {len(estimates.classes)}, or another order"
        )
    model = replace(model, sigma=estimates.sigma)
    if chosen:
        _check_countable(model, estimates)
        if model.task == SINGLE_LABEL:
            model = replace(model, rule=find_rule(scores, model))
        else:
            cuts = best_cuts(bins_of_scores(scores, estimates.sigma), model)
            model = replace(model, cuts=cuts)
    if model.method.tables == "none":
        return model
    return replace(model, class_tables=_kfold_tables(scores, model, estimates))


def _kfold_tables(
    scores: StoredScores, model: RankingModel, estimates: Estimates
) -> ContingencyTables:
    """Return the tables of the training documents under the labels of the model, scaled."""
    if not model.is_chosen:
        tables = estimates.tables
    elif estimates.counted is not None:
        cuts = score_cuts(model.cuts, estimates.sigma)
        tables = estimates.counted(model.rule if cuts is None else cuts)
    else:
        return model.kfold_tables(scores.n_documents)
    return tables.scaled(scores.n_documents / estimates.n_train)


def _check_countable(model: RankingModel, estimates: Estimates) -> None:
    """Refuse estimates whose tables cannot be counted under other labels than the signs'."""
    if model.method.tables != "none" and model.training is None and estimates.counted is None:
        raise ValueError(
            f"estimates must come from estimates_of_pairs if decide is {FOR_MEASURE!r} and method "
            f"is {model.method.name!r}, because the tables depend on the labels; these estimates "
            "have tables for the signs of the scores only: give the training documents, or use "
            "method 'baseline'"
        )
