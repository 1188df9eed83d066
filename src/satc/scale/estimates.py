"""Estimates from the training documents: sigma, and the contingency tables that give the gains.

The training documents are arrays, as for `satc.rank`, or pairs in a table of the engine with the
columns ``document``, ``class``, ``score`` and ``label``. For pairs, the engine computes the sums of
the calibration and the cells of the tables, and returns one number per class and step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.calibration.sigma import GAPS, calibrate_sigma, search_sigma
from satc.contingency import ContingencyTables
from satc.decisions import OneLabelRule, by_sign
from satc.errors import DataError
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels, Scores, check_task, choice
from satc.scale.decisions import decided, membership_probability
from satc.scale.engines import Engine
from satc.scale.one_label.training import check_one_label_each, one_label_pairs
from satc.training import Training

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Sigma, and the k-fold tables of `n_train` training documents.

    `counted` counts the tables under cuts of the scores, one per class, or under the rule of one
    label; only `estimates_of_pairs` can do that. `task` is the task that the tables are for.
    """

    classes: tuple[str, ...]
    sigma: float
    tables: ContingencyTables
    n_train: int
    counted: Callable[[Any], ContingencyTables] | None = None
    task: str = MULTI_LABEL


def estimates_of_training(
    classes: Sequence[str],
    training: Training,
    average: str,
    sigma: float | None = None,
    own_labels: Callable[[Scores], Labels] = by_sign,
) -> Estimates:
    """Estimate from out-of-fold scores and true labels in memory."""
    oof, labels = training.oof_scores, training.labels
    if training.n_classes != len(classes):
        raise ValueError(
            f"oof_scores must have a column for each of the {len(classes)} classes, "
            f"but has {training.n_classes}"
        )
    found = calibrate_sigma(oof, labels, average) if sigma is None else sigma
    tables = ContingencyTables.from_labels(labels, own_labels(oof))
    return Estimates(tuple(classes), found, tables, training.n_documents)


def estimates_of_pairs(
    engine: Engine,
    pairs: Any,
    *,
    average: str = "macro",
    sigma: float | None = None,
    task: str = MULTI_LABEL,
) -> Estimates:
    """Estimate from labelled pairs in a table of the engine, or in Parquet files.

    In a single-label task, every document must have exactly one label; the classifier's own label
    is the class with the largest score.
    """
    pairs = engine.open(pairs) if isinstance(pairs, str) else pairs
    required = ("document", "class", "score", "label")
    if missing := [name for name in required if name not in pairs.columns]:
        raise DataError(f"training pairs must have the column {missing[0]!r}, but do not have it")
    gap = choice(average, GAPS, "average")
    check_task(task)
    classes = _classes(engine, pairs)
    if task == SINGLE_LABEL:
        check_one_label_each(engine, pairs.filter(pairs.label.cast("boolean")), pairs)
    tables = _counted(engine, _decided(engine, pairs, classes, task))

    def expected(sigma: float) -> Array:
        sums = engine.run(expected_positives(pairs, sigma).order_by("class"))
        return np.asarray(sums["expected"].to_numpy())

    if sigma is None:
        typical = engine.run(pairs.aggregate(typical=pairs.score.cast("float64").abs().mean()))
        sigma = search_sigma(
            tables.tp + tables.fn, float(typical["typical"][0].as_py()), expected, gap
        )
    n_train, known = int(sum(cell[0] for cell in tables)), sigma

    def counted(chosen: Any) -> ContingencyTables:
        if isinstance(chosen, OneLabelRule):
            return _counted(engine, one_label_pairs(engine, pairs, classes, known, chosen))
        cut = engine.temporary_table(pa.table({"name": list(classes), "cut": chosen}))
        joined = pairs.join(cut, pairs["class"].cast("string") == cut.name)
        return _counted(engine, joined.mutate(decided=decided(joined.score, joined.cut)))

    return Estimates(classes, sigma, tables, n_train, counted, task)


def _classes(engine: Engine, pairs: Any) -> tuple[str, ...]:
    names = engine.run(pairs.select("class").distinct().order_by("class"))
    return tuple(map(str, names["class"].to_pylist()))


def _decided(engine: Engine, pairs: Any, classes: Sequence[str], task: str) -> Any:
    """Expression: the pairs with the classifier's own decisions."""
    if task == SINGLE_LABEL:
        return one_label_pairs(engine, pairs, classes)
    return pairs.mutate(decided=decided(pairs.score))


def _counted(engine: Engine, pairs: Any) -> ContingencyTables:
    counts = engine.run(contingency(pairs).order_by("class")).to_pydict()
    cells = (np.array(counts[cell], dtype=float) for cell in ("tp", "fp", "fn", "tn"))
    return ContingencyTables(*cells)


def contingency(pairs: Any) -> Any:
    """Expression: TP, FP, FN and TN of every class; the decisions are the column ``decided``."""
    label, chosen = pairs.label.cast("boolean"), pairs.decided
    return pairs.group_by("class").aggregate(
        tp=(chosen & label).cast("int64").sum(),
        fp=(chosen & ~label).cast("int64").sum(),
        fn=(~chosen & label).cast("int64").sum(),
        tn=(~chosen & ~label).cast("int64").sum(),
    )


def expected_positives(pairs: Any, sigma: float) -> Any:
    """Expression: E[Pos] of every class (Equation 13)."""
    belongs = membership_probability(pairs.score, sigma)
    return pairs.group_by("class").aggregate(expected=belongs.sum())
