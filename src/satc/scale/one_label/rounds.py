"""The rule of labels that are chosen for a measure, over all stored documents.

The loop is that of `satc.one_label`. If all probabilities fit into memory, they are fetched, and
the rule is exactly that of `satc.rank`. Otherwise each round is one aggregation over probabilities
that the engine keeps: the sum of the probabilities of the labels and their number, per class. There
are at most 10 such rounds; on generated probabilities, more rounds raised the measure by less than
0.0001.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.decisions import OneLabelRule, value_of_none_from_sums
from satc.gains import unit_gains
from satc.one_label import (
    RuleOutcome,
    cells_of_sums,
    choose_one,
    improve_rule,
    unit_costs,
    value_of_cells,
)
from satc.ranking.model import RankingModel
from satc.scale.contextual.calibrator import BatchCalibrator
from satc.scale.contextual.numbers import as_bytes
from satc.scale.contextual.passes import keep_probabilities, kept_calibrator, map_kept
from satc.scale.engines.batches import Batches
from satc.scale.exact import ExactSums, number
from satc.scale.one_label.documents import OneLabelPairs, class_table, first_best, is_likely
from satc.scale.stored import StoredScores

Array = NDArray[np.float64]

PAIRS_IN_MEMORY = 1 << 22  # as many probabilities are fetched
ROUNDS = 10  # of sets that are larger
_LARGEST = 1.0 - 1e-15  # probability, where the logarithm of 1 - p is needed


class ClassSums(NamedTuple):
    """Sums over all documents, per class: of P, and of log(1 - P)."""

    positives: Array
    log_nobody: Array


class LabelSums(NamedTuple):
    """Sums over the documents that get the label, per class: of P, and their number."""

    tp: Array
    n: Array


def find_rule(scores: StoredScores, model: RankingModel, kept: Any = None) -> OneLabelRule:
    """Find the rule that is best for the measure.

    `kept` are the probabilities of a contextual model (`keep_probabilities`).
    """
    if model.average == "micro":
        return OneLabelRule(np.ones(model.n_classes), np.zeros(model.n_classes))
    if scores.n_documents * model.n_classes <= PAIRS_IN_MEMORY:
        return _in_memory(scores, model, kept)
    if kept is None:
        pairs = StoredProbabilities(scores, model)
        return _in_rounds(scores, model, pairs.class_sums(), pairs.label_sums)
    return _in_rounds(scores, model, *_of_kept(scores, model, kept))


def _in_memory(scores: StoredScores, model: RankingModel, kept: Any) -> OneLabelRule:
    documents = (keep_probabilities(scores, model) if kept is None else kept).order_by("document")
    rows = scores.engine.run(documents).combine_chunks().to_batches()
    found = next(kept_calibrator(scores, model).blocks(iter(rows)))
    costs = None if model.weights is None else model.weights.costs
    rule = choose_one(found.probability, model.measure, model.average, costs, found.possible).rule
    if rule is None:
        raise ValueError("choose_one must return a rule, but returned none")
    return rule


def _in_rounds(
    scores: StoredScores,
    model: RankingModel,
    classes: ClassSums,
    label_sums: Callable[[OneLabelRule], LabelSums],
) -> OneLabelRule:
    costs = unit_costs(model.n_classes) if model.weights is None else model.weights.costs
    n = scores.n_documents

    def value_of_empty(j: int) -> float:
        log_nobody, positives = classes.log_nobody[j], float(classes.positives[j])
        return value_of_none_from_sums(log_nobody, positives, n, model.measure, costs.fn[j])

    def outcome(rule: OneLabelRule) -> RuleOutcome:
        sums = label_sums(rule)
        cells = cells_of_sums(sums.tp, sums.n, classes.positives, n, costs)
        value = value_of_cells(
            cells, sums.n == 0, value_of_empty, model.measure, model.average, costs
        )
        return RuleOutcome(cells, value, np.array(sums))

    return improve_rule(outcome, model.measure, model.average, costs, ROUNDS)[0]


class StoredProbabilities:
    """The probabilities of stored pairs by sigma, kept by the engine, and sums of them."""

    def __init__(self, scores: StoredScores, model: RankingModel) -> None:
        self._scores = scores
        self._sums = ExactSums(1.0, scores.n_documents)
        pairs = OneLabelPairs.of(scores, model, unit_gains(model.n_classes))
        table = pairs.with_totals()
        p, absent_p = table.alone / table.total, table.absent_alone / table.total
        kept = table.select(
            "document", "place", "score", p=p, absent_p=absent_p, likely=is_likely(table)
        )
        self._pairs = scores.engine.keep(kept)

    def class_sums(self) -> ClassSums:
        """Return sums over all documents."""
        pairs = self._pairs
        stored = self._by_place(
            pairs.group_by("place").aggregate(
                p=pairs.p.sum(),
                log=_log_not(pairs.p).sum(),
                absent_p=pairs.absent_p.sum(),
                absent_log=_log_not(pairs.absent_p).sum(),
            )
        )
        if self._scores.absent is None:
            return ClassSums(stored["p"], stored["log"])
        one = pairs.group_by("document").aggregate(absent_p=pairs.absent_p.max())
        all_absent = self._scores.engine.run(
            one.aggregate(p=one.absent_p.sum(), log=_log_not(one.absent_p).sum())
        ).to_pylist()[0]
        return ClassSums(
            stored["p"] + (all_absent["p"] - stored["absent_p"]),
            stored["log"] + (all_absent["log"] - stored["absent_log"]),
        )

    def label_sums(self, rule: OneLabelRule) -> LabelSums:
        """Return sums over the labels of a rule, in one aggregation."""
        rules = class_table(self._scores, slope=rule.slope, offset=rule.offset)
        pairs = self._pairs.join(rules, "place")
        value = pairs.slope * pairs.p + pairs.offset
        best = first_best(self._scores, pairs, value, pairs.likely, p=pairs.p)
        labels = pairs.group_by("document").aggregate(best=best)
        labels = labels.select(place=-labels.best["minus_place"], p=labels.best["p"]).view()
        coarse, fine = self._sums.cut(labels.p)
        found = self._by_place(
            labels.group_by("place").aggregate(
                coarse=coarse.sum(), fine=fine.sum(), n=ibis._.count()
            )
        )
        return LabelSums(found["coarse"] + found["fine"], found["n"])

    def _by_place(self, expression: Any) -> dict[str, Array]:
        """Compute an expression with a row for each place; return its columns, 0 where no row."""
        rows = self._scores.engine.run(expression.filter(expression.place.notnull()))
        place = rows["place"].to_numpy()
        columns = {}
        for name in rows.column_names:
            columns[name] = np.zeros(len(self._scores.classes))
            columns[name][place] = rows[name].to_numpy()
        return columns


def _log_not(p: Any) -> Any:
    """Expression: log(1 - p)."""
    return (1.0 - ibis.least(p, number(_LARGEST))).ln()


def _of_kept(
    scores: StoredScores, model: RankingModel, kept: Any
) -> tuple[ClassSums, Callable[[OneLabelRule], LabelSums]]:
    """Return sums over probabilities that a contextual model has computed, and those of labels."""
    calibrator = kept_calibrator(scores, model)

    def summed(function: Callable[[Batches], Batches]) -> Array:
        rows = scores.engine.run(map_kept(scores, kept, function, _SCHEMA))
        cells = [np.frombuffer(part) for part in rows["sums"].to_pylist()]
        return np.asarray(np.sum(cells, axis=0).reshape(2, model.n_classes))

    def label_sums(rule: OneLabelRule) -> LabelSums:
        return LabelSums(*summed(lambda batches: _batch_label_sums(batches, calibrator, rule)))

    classes = summed(lambda batches: _batch_class_sums(batches, calibrator))
    return ClassSums(*classes), label_sums


_SCHEMA = pa.schema([("sums", pa.binary())])


def _batch_class_sums(batches: Batches, calibrator: BatchCalibrator) -> Batches:
    """Return one row: the sums over all documents of the batches."""
    total = np.zeros((2, calibrator.reader.n_classes))
    for block in calibrator.blocks(batches):
        total[0] += block.probability.sum(axis=0)
        total[1] += np.log1p(-np.minimum(block.probability, _LARGEST)).sum(axis=0)
    yield pa.record_batch([as_bytes(total.reshape(1, -1))], _SCHEMA)


def _batch_label_sums(batches: Batches, calibrator: BatchCalibrator, rule: OneLabelRule) -> Batches:
    """Return one row: the sums over the labels of a rule."""
    total = np.zeros((2, calibrator.reader.n_classes))
    ruled = replace(calibrator, model=replace(calibrator.model, rule=rule))
    for block in ruled.blocks(batches):
        labels = ruled.labels_of(block)
        total[0] += np.einsum("ij,ij->j", block.probability, labels)
        total[1] += labels.sum(axis=0)
    yield pa.record_batch([as_bytes(total.reshape(1, -1))], _SCHEMA)
