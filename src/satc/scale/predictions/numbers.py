"""Probabilities and logits as scores.

They are in long form (``document``, ``class``, and ``probability``, ``logit`` or ``score``), or in
wide form. The scores are those of `satc.predictions.from_probabilities` and `from_logits`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from satc.errors import DataError
from satc.inputs import SINGLE_LABEL
from satc.predictions import probabilities
from satc.predictions.probabilities import SMALLEST
from satc.scale.engines import Engine
from satc.scale.exact import number

PROBABILITIES, LOGITS = "probabilities", "logits"
VALUES = {PROBABILITIES: "probability", LOGITS: "logit"}  # columns of the long form
Threshold = float | Sequence[float] | Mapping[str, float]


def scores_of_numbers(
    engine: Engine, table: Any, kind: str, classes: tuple[str, ...], task: str, cuts: list[float]
) -> Any:
    """Expression: a table of scores, in the form of the table; `cuts` has a threshold per class."""
    if "class" in table.columns:
        return _of_pairs(engine, table, kind, classes, task, cuts)
    given = [(name, cut) for name, cut in zip(classes, cuts, strict=True) if name in table.columns]
    scores = {
        name: _score(table[name], kind, task, *map(number, _with_odds(cut, table[name])))
        for name, cut in given
    }
    return table.mutate(**scores)


def thresholds(threshold: Threshold, classes: Sequence[str]) -> list[float]:
    """Return the threshold of each class; in a dictionary, 0.5 for a class that it lacks."""
    if isinstance(threshold, Mapping):
        if unknown := [name for name in threshold if name not in classes]:
            raise ValueError(
                f"threshold must name classes only, but {unknown[0]!r} is none of the classes"
            )
        threshold = [threshold.get(name, 0.5) for name in classes]
    found = np.asarray(threshold, dtype=np.float64)
    if found.shape not in ((), (len(classes),)):
        raise ValueError(
            f"threshold must be a number, or one for each of the {len(classes)} classes, but has "
            f"shape {found.shape}"
        )
    if not ((found > 0.0) & (found < 1.0)).all():
        raise ValueError(f"threshold must be above 0 and below 1, but is {threshold!r}")
    return [float(one) for one in np.broadcast_to(found, len(classes))]


def _of_pairs(
    engine: Engine, table: Any, kind: str, classes: tuple[str, ...], task: str, cuts: list[float]
) -> Any:
    """Expression: document, class, score."""
    named = [name for name in (VALUES[kind], "score") if name in table.columns]
    if not named or "document" not in table.columns:
        raise DataError(
            f"{kind} must have the columns document, class and {VALUES[kind]} or score, "
            f"but have {', '.join(table.columns)}"
        )
    column = table[named[0]]
    if len(set(cuts)) == 1:
        cut, limit = _with_odds(cuts[0], column)
        score = _score(column, kind, task, number(cut), number(limit))
        return table.select("document", "class", score=score)
    with_odds = [_with_odds(cut, column) for cut in cuts]
    limits = engine.temporary_table(
        pa.table(
            {
                "of_class": list(classes),
                "cut": [cut for cut, _ in with_odds],
                "odds": [limit for _, limit in with_odds],
            }
        )
    )
    pairs = table.select("document", "class", value=column)
    pairs = pairs.join(limits, pairs["class"].cast("string") == limits.of_class, how="left")
    score = _score(pairs.value, kind, task, pairs.cut, pairs.odds)
    return pairs.select("document", "class", score=score)


def _with_odds(cut: float, column: Any) -> tuple[float, float]:
    """Return a threshold in the precision of the column, and its log-odds."""
    if column.type().is_float32():  # 0.7 of few digits reaches a threshold of 0.7
        cut = float(np.float32(cut))
    return cut, float(probabilities.log_odds(np.array(cut)))


def _score(column: Any, kind: str, task: str, cut: Any, limit: Any) -> Any:
    """Expression: the score of a probability or a logit; null where nothing is stored.

    `cut` is the threshold, and `limit` its log-odds.
    """
    if not column.type().is_numeric():
        raise DataError(
            f"{kind} must be numbers, in a column for each class or in the columns document, class "
            f"and {VALUES[kind]}, but column {column.get_name()!r} holds {column.type()}"
        )
    value = column.cast("float64")
    if kind == LOGITS:
        return value if task == SINGLE_LABEL else value - limit
    if task == SINGLE_LABEL:
        score = clipped(value).ln()
    else:
        odds = log_odds(value) - limit
        score = ibis.ifelse(value >= cut, ibis.greatest(odds, 0.0), odds)
    return ibis.cases(
        (value.isnull(), ibis.null("float64")),
        (value.between(0.0, 1.0), score),
        else_=number(float("nan")),
    )


def clipped(p: Any) -> Any:
    """Expression: probabilities that are neither 0 nor 1."""
    return ibis.least(ibis.greatest(p, number(SMALLEST)), number(1.0 - SMALLEST))


def log_odds(p: Any) -> Any:
    """Expression: the log-odds of probabilities; they are finite."""
    p = clipped(p)
    return p.ln() - (1.0 - p).ln()
