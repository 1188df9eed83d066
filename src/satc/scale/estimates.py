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
from satc.decisions import by_sign
from satc.errors import DataError
from satc.inputs import choice
from satc.scale.decisions import decided, membership_probability
from satc.scale.engines import Engine
from satc.training import Training

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Sigma, and the k-fold tables of `n_train` training documents.

    `counted` counts the tables under cuts of the scores, one per class; only `estimates_of_pairs`
    can do that.
    """

    classes: tuple[str, ...]
    sigma: float
    tables: ContingencyTables
    n_train: int
    counted: Callable[[Array], ContingencyTables] | None = None


def estimates_of_training(
    classes: Sequence[str], training: Training, average: str, sigma: float | None = None
) -> Estimates:
    """Estimate from out-of-fold scores and true labels in memory."""
    oof, labels = training.oof_scores, training.labels
    if training.n_classes != len(classes):
        raise ValueError(
            f"oof_scores must have a column for each of the {len(classes)} classes, "
            f"but has {training.n_classes}"
        )
    found = calibrate_sigma(oof, labels, average) if sigma is None else sigma
    tables = ContingencyTables.from_labels(labels, by_sign(oof))
    return Estimates(tuple(classes), found, tables, training.n_documents)


def estimates_of_pairs(
    engine: Engine, pairs: Any, *, average: str = "macro", sigma: float | None = None
) -> Estimates:
    """Estimate from labelled pairs in a table of the engine, or in Parquet files."""
    pairs = engine.open(pairs) if isinstance(pairs, str) else pairs
    required = ("document", "class", "score", "label")
    if missing := [name for name in required if name not in pairs.columns]:
        raise DataError(f"training pairs must have the column {missing[0]!r}, but do not have it")
    gap = choice(average, GAPS, "average")
    classes, tables = _counted(engine, pairs)

    def expected(sigma: float) -> Array:
        sums = engine.run(expected_positives(pairs, sigma).order_by("class"))
        return np.asarray(sums["expected"].to_numpy())

    if sigma is None:
        typical = engine.run(pairs.aggregate(typical=pairs.score.cast("float64").abs().mean()))
        sigma = search_sigma(
            tables.tp + tables.fn, float(typical["typical"][0].as_py()), expected, gap
        )
    n_train = int(sum(cell[0] for cell in tables))

    def counted(cuts: Array) -> ContingencyTables:
        places = pa.table({"name": list(classes), "cut": cuts})
        cut = engine.temporary_table(places)
        joined = pairs.join(cut, pairs["class"].cast("string") == cut.name)
        return _counted(engine, joined.drop("name"))[1]

    return Estimates(classes, sigma, tables, n_train, counted)


def _counted(engine: Engine, pairs: Any) -> tuple[tuple[str, ...], ContingencyTables]:
    counts = engine.run(contingency(pairs).order_by("class")).to_pydict()
    cells = (np.array(counts[cell], dtype=float) for cell in ("tp", "fp", "fn", "tn"))
    return tuple(map(str, counts["class"])), ContingencyTables(*cells)


def contingency(pairs: Any) -> Any:
    """Expression: TP, FP, FN and TN of every class, with the cuts in the column ``cut``, if any."""
    label = pairs.label.cast("boolean")
    chosen = decided(pairs.score, pairs.cut if "cut" in pairs.columns else None)
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
