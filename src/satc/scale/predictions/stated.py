"""Scores of stated labels: the labels are the decisions, whatever their probability.

The table has, for each document and each class j, the probability ``p{j}`` (null if none is
named) and whether the class is a label, ``has{j}``; and ``none``, the confidence that a document
without labels has none. The scores are those of `satc.predictions.from_confidences`.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import ibis

from satc.inputs import SINGLE_LABEL
from satc.predictions.confidences import LEAST
from satc.predictions.probabilities import UNNAMED
from satc.scale.exact import number
from satc.scale.predictions.numbers import clipped, log_odds

NONE = "none"


def place(j: int) -> str:
    """Return the name of the column with the probability of class j."""
    return f"p{j}"


def has(j: int) -> str:
    """Return the name of the column that says whether class j is a label."""
    return f"has{j}"


def scores_of_stated(stated: Any, classes: tuple[str, ...], task: str) -> Any:
    """Expression: a wide table of scores."""
    score = _one_label if task == SINGLE_LABEL else _any_number
    table, scores = score(stated, len(classes))
    return table.select("document", **dict(zip(classes, scores, strict=True)))


def _any_number(stated: Any, m: int) -> tuple[Any, list[Any]]:
    """Scores whose signs are the labels; they are near 0 where the probability says otherwise."""
    other = ibis.coalesce((1.0 - stated[NONE]) / m, number(UNNAMED))
    table = _filled(stated, other, m)
    return table, [
        ibis.ifelse(
            table[has(j)],
            ibis.greatest(log_odds(table[place(j)]), number(LEAST) * (0.5 + table[place(j)])),
            ibis.least(log_odds(table[place(j)]), number(-LEAST) * (1.5 - table[place(j)])),
        )
        for j in range(m)
    ]


def _one_label(stated: Any, m: int) -> tuple[Any, list[Any]]:
    """Scores whose largest is that of the label; classes that are not named share the rest."""
    named = [stated[place(j)] for j in range(m)]
    left = ibis.greatest(1.0 - reduce(add, [one.fill_null(0.0) for one in named]), 0.0)
    unnamed = reduce(add, [ibis.ifelse(one.isnull(), 1, 0) for one in named])
    table = _filled(stated, left / ibis.greatest(unnamed, 1), m)
    logs = {place(j): clipped(table[place(j)]).ln() for j in range(m)}
    table = table.mutate(**logs).view()
    least = number(-1e300)
    others = [ibis.ifelse(table[has(j)], least, table[place(j)]) for j in range(m)]
    table = table.mutate(best=ibis.greatest(*others)).view()
    return table, [
        ibis.ifelse(
            table[has(j)],
            ibis.greatest(table[place(j)], table.best + number(LEAST)),
            table[place(j)],
        )
        for j in range(m)
    ]


def _filled(stated: Any, other: Any, m: int) -> Any:
    """Expression: the table with a probability for every class; `other` is that of the unnamed.

    It is a separate view, so that the SQL contains each expression only once.
    """
    table = stated.mutate(other=other).view()
    filled = {place(j): table[place(j)].fill_null(table.other) for j in range(m)}
    return table.mutate(**filled).view()
