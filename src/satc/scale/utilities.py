"""U(d) of every document as one expression (Equation 9): the sum of P(error) x gain.

The row of a document has its utility and its number of flaws. Flaws are pairs without a score or
with an unknown class, and pairs that are missing or repeated; a score that is not finite counts as
one flaw more. A document with flaws cannot be ranked.
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
from satc.scale.decisions import ScoreRule
from satc.scale.exact import ExactSums, number
from satc.scale.stored import StoredScores


def utilities(scores: StoredScores, rule: ScoreRule, gains: Gains) -> Any:
    """Expression: document, utility, flaws."""
    largest = float(max(np.abs(gains.fp).max(), np.abs(gains.fn).max())) * rule.largest_error
    sums = ExactSums(largest, 2 * len(scores.classes))
    return (_of_long if scores.is_long else _of_wide)(scores, rule, gains, sums)


def _contribution(score: Any, rule: ScoreRule, cut: Any, gain_fp: Any, gain_fn: Any) -> Any:
    """P(error) x gain; NaN where the score is not finite."""
    score = score.cast("float64")
    label = rule.decided(score, cut)
    gain = ibis.ifelse(label, gain_fp, gain_fn)
    return rule.wrong(score, label) * gain + (score - score)


def _of_long(scores: StoredScores, rule: ScoreRule, gains: Gains, sums: ExactSums) -> Any:
    absent = _absent(scores, rule.sigma, gains, sums)
    keys = class_keys(len(scores.classes))
    weights = scores.engine.temporary_table(
        pa.table(
            {
                "name": list(scores.classes),
                "cut": np.zeros(len(keys)) if rule.cuts is None else rule.cuts,
                "gain_fp": gains.fp,
                "gain_fn": gains.fn,
                "absent_coarse": [coarse for coarse, _ in absent],
                "absent_fine": [fine for _, fine in absent],
                "class_key": keys,
            }
        )
    )
    pairs = scores.table
    pairs = pairs.join(weights, pairs["class"].cast("string") == weights.name, how="left")
    cut = None if rule.cuts is None else pairs.cut
    contribution = _contribution(pairs.score, rule, cut, pairs.gain_fp, pairs.gain_fn)
    pairs = pairs.mutate(contribution=contribution)
    coarse, fine = sums.cut(pairs.contribution)
    if scores.absent is not None:  # all pairs count as absent first, so subtract it for stored ones
        coarse, fine = coarse - pairs.absent_coarse, fine - pairs.absent_fine
    documents = pairs.group_by("document").aggregate(
        coarse=coarse.sum(),
        fine=fine.sum(),
        usable=pairs.contribution.count(),
        stored=pairs.count(),
        class_keys=pairs.class_key.sum(),
    )
    all_absent = [float(sum(part)) for part in zip(*absent, strict=True)]
    utility = (documents.coarse + number(all_absent[0])) + (documents.fine + number(all_absent[1]))
    documents = documents.mutate(utility=utility)
    return documents.select("document", "utility", flaws=flaws_of(scores, documents, sum(keys)))


def class_keys(m: int) -> list[int]:
    """Return a random number for each class.

    Their sum over the pairs of a document shows whether the document has every class once.
    """
    return np.random.default_rng(0).integers(1 << 40, size=m).tolist()


def flaws_of(scores: StoredScores, documents: Any, keys: int) -> Any:
    """Expression: the number of flaws of documents, from the sums over their pairs."""
    m = len(scores.classes)
    flaws = documents.stored - documents.usable + documents.utility.isnan().cast("int64")
    if scores.absent is None:
        return (
            flaws
            + (documents.stored - m).abs()
            + (documents.class_keys.fill_null(0) != keys).cast("int64")
        )
    return flaws + ibis.greatest(documents.stored - m, 0)


def _absent(
    scores: StoredScores, sigma: float, gains: Gains, sums: ExactSums
) -> list[tuple[float, float]]:
    """Return the contribution of an absent pair, for each class."""
    if scores.absent is None:
        return [(0.0, 0.0)] * len(scores.classes)
    grown = sigma * scores.absent
    wrong = 1.0 / (1.0 + exp(grown)) if grown < 700 else 0.0
    return [sums.cut(wrong * gain) for gain in gains.fn.tolist()]


def _of_wide(scores: StoredScores, rule: ScoreRule, gains: Gains, sums: ExactSums) -> Any:
    table = scores.table
    contributions: dict[str, Any] = {}
    for name, fp, fn in zip(scores.classes, gains.fp.tolist(), gains.fn.tolist(), strict=True):
        score = table[name]
        if scores.absent is not None:
            score = score.cast("float64").fill_null(number(-scores.absent))
        cut, place = rule.cut_of(len(contributions)), f"at{len(contributions)}"
        contributions[place] = _contribution(score, rule, cut, number(fp), number(fn))
    # as a separate view, so that the SQL contains each contribution only once
    table = table.select("document", **contributions).view()
    parts = [sums.cut(table[place]) for place in contributions]
    coarse, fine = (_balanced_sum(list(part)) for part in zip(*parts, strict=True))
    table = table.select("document", utility=coarse + fine)
    unknown = table.utility.isnull() | table.utility.isnan()  # a null score makes the sum null
    return table.mutate(flaws=unknown.cast("int64"))


def _balanced_sum(terms: list[Any]) -> Any:
    """Add many expressions as a balanced tree, which keeps the nesting of the SQL small."""
    while len(terms) > 1:
        terms = [reduce(add, terms[k : k + 8]) for k in range(0, len(terms), 8)]
    return terms[0]
