"""U(d) of every document as one expression (Equation 8): the sum of P(error) x gain.

A document's row has its utility, and `flaws`: how many of its pairs could not be used, because the
score is missing or not finite, or its class has no gains; too many or too few pairs count as well.
"""

from __future__ import annotations

from functools import reduce
from math import exp
from operator import add
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from satc.gains import Gains
from satc.scale.estimates import error_probability
from satc.scale.exact import ExactSums, number
from satc.scale.stored import StoredScores

_LARGEST = 1.7976931348623157e308  # NaN is not below it, in either engine


def utilities(scores: StoredScores, sigma: float, gains: Gains) -> Any:
    """Expression: document, utility, flaws."""
    sums = ExactSums(float(max(np.abs(gains.fp).max(), np.abs(gains.fn).max())) / 2)
    return (_of_long if scores.is_long else _of_wide)(scores, sigma, gains, sums)


def finite(score: Any) -> Any:
    """Expression: the score, or null where it is not finite."""
    score = score.cast("float64")
    return ibis.ifelse(score.abs() <= _LARGEST, score, ibis.null("float64"))


def _of_long(scores: StoredScores, sigma: float, gains: Gains, sums: ExactSums) -> Any:
    absent = _absent(scores, sigma, gains, sums)
    weights = scores.engine.lend(
        pa.table(
            {
                "name": list(scores.classes),
                "gain_fp": gains.fp,
                "gain_fn": gains.fn,
                "absent_coarse": [coarse for coarse, _ in absent],
                "absent_fine": [fine for _, fine in absent],
            }
        )
    )
    pairs = scores.table.mutate(score=finite(scores.table.score))
    pairs = pairs.join(weights, pairs["class"].cast("string") == weights.name, how="left")
    gain = ibis.ifelse(pairs.score >= 0, pairs.gain_fp, pairs.gain_fn)
    pairs = pairs.mutate(contribution=error_probability(pairs.score, sigma) * gain)
    coarse, fine = sums.cut(pairs.contribution)
    pairs = pairs.mutate(coarse=coarse - pairs.absent_coarse, fine=fine - pairs.absent_fine)
    documents = pairs.group_by("document").aggregate(
        coarse=pairs.coarse.sum(),
        fine=pairs.fine.sum(),
        usable=pairs.coarse.count(),
        stored=pairs.count(),
    )
    wanted = documents.stored if scores.absent is not None else len(scores.classes)
    surplus = 0 if scores.absent is None else documents.stored - len(scores.classes)
    flaws = (wanted - documents.usable).abs() + ibis.greatest(surplus, 0)
    whole = [sum(part) for part in zip(*absent, strict=True)]
    return documents.select(
        "document",
        utility=sums.value(documents.coarse + whole[0], documents.fine + whole[1]),
        flaws=flaws,
    )


def _absent(
    scores: StoredScores, sigma: float, gains: Gains, sums: ExactSums
) -> list[tuple[int, int]]:
    """What a pair that is not stored contributes, class by class; stored ones take it back."""
    if scores.absent is None:
        return [(0, 0)] * len(scores.classes)
    grown = sigma * scores.absent
    wrong = 1.0 / (1.0 + exp(grown)) if grown < 700 else 0.0
    return [sums.cut_number(wrong * gain) for gain in gains.fn.tolist()]


def _of_wide(scores: StoredScores, sigma: float, gains: Gains, sums: ExactSums) -> Any:
    cells = {f"s{j}": _cell(scores, name) for j, name in enumerate(scores.classes)}
    table = scores.table.select("document", **cells)
    parts = []
    for j, (fp, fn) in enumerate(zip(gains.fp.tolist(), gains.fn.tolist(), strict=True)):
        score = table[f"s{j}"]
        gain = ibis.ifelse(score >= 0, number(fp), number(fn))
        contribution = error_probability(score, sigma) * gain
        parts.append(sums.cut(contribution))
    coarse, fine = (reduce(add, part) for part in zip(*parts, strict=True))
    missing = reduce(add, (table[name].isnull().cast("int64") for name in cells))
    return table.select(
        "document",
        utility=sums.value(coarse, fine),
        flaws=missing,
    )


def _cell(scores: StoredScores, name: str) -> Any:
    stored = scores.table[name]
    if scores.absent is not None:
        stored = ibis.ifelse(stored.isnull(), -scores.absent, stored.cast("float64"))
    return finite(stored)
