"""The drift of a person: whether they agree with the others less, or more, than they did before.

The documents that this person and somebody else have read are ordered by when this person read
them. The recent part is their last `RECENT` documents, or the later half if there are fewer than
two times as many. Fisher's exact test compares how often they gave exactly the labels of the other
person in the recent part and before it. The level is 1%, because people look often, and at
everybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import scipy

RECENT = 30  # documents of the recent part
LEAST = 10  # documents that each part needs
LEVEL = 0.01
WINDOW = 10  # documents of one point of the chart

Verdict = Literal["too-few", "same", "less", "more"]


class Drift(NamedTuple):
    """The agreement of a person before and recently, and whether it has changed.

    `verdict` is "less" or "more" if the recent part differs by more than chance, else "same", or
    "too-few" documents to tell. `shares` has the share of equal answers in windows of `WINDOW`
    documents, the oldest first.
    """

    verdict: Verdict
    before: int
    before_same: int
    recent: int
    recent_same: int
    shares: tuple[float, ...]


def drift(same: Sequence[bool]) -> Drift:
    """Compare a person's recent agreement with the earlier one.

    Parameters
    ----------
    same
        For each document, the oldest first, whether both people gave the same labels.

    Examples
    --------
    >>> drift([True] * 30 + [False] * 30).verdict
    'less'
    >>> drift([True, False] * 30).verdict
    'same'
    >>> drift([True] * 9 + [False] * 9).verdict
    'too-few'
    """
    n_recent = min(RECENT, len(same) // 2)
    before, recent = same[: len(same) - n_recent], same[len(same) - n_recent :]
    counts = len(before), sum(before), len(recent), sum(recent)
    return Drift(_verdict(*counts), *counts, shares=_shares(same))


def _verdict(n_before: int, same_before: int, n_recent: int, same_recent: int) -> Verdict:
    if min(n_before, n_recent) < LEAST:
        return "too-few"
    different = n_before - same_before, n_recent - same_recent
    table = np.array([[same_before, same_recent], different])
    if scipy.stats.fisher_exact(table).pvalue >= LEVEL:
        return "same"
    return "less" if same_recent / n_recent < same_before / n_before else "more"


def _shares(same: Sequence[bool]) -> tuple[float, ...]:
    """Return the share of equal answers in windows; a short rest belongs to the last window."""
    n_windows = len(same) // WINDOW
    ends = [*range(WINDOW, n_windows * WINDOW, WINDOW), len(same)] if n_windows else []
    starts = [0, *ends[:-1]]
    return tuple(
        sum(same[start:end]) / (end - start) for start, end in zip(starts, ends, strict=False)
    )
