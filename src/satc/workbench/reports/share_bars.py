"""The shares of a project as bars with intervals, for the page of the report."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from satc.workbench.reports.shares import ProjectShares


class Bar(NamedTuple):
    """A class: the texts of its row, and positions on the bar in percent of its length.

    `start`, `end` and `width` are those of the interval; None if there is none.
    """

    name: str
    share: str
    interval: str
    documents: str
    classifier: str
    fill: float
    start: float | None
    end: float | None
    width: float | None


class ShareBars(NamedTuple):
    """The section of a report: a text, and a bar for each class, the largest share first."""

    text: str
    has_intervals: bool
    level: str
    longest: str
    rows: list[Bar]


def share_bars(shares: ProjectShares) -> ShareBars:
    """Return the bars of all classes; the longest of them has 100% of the length."""
    rows = sorted(shares.rows(), key=lambda row: (-row["share"], row["class"]))
    longest = max(_end(row) for row in rows) or 1.0
    return ShareBars(
        _text(shares),
        shares.has_intervals,
        f"{shares.found.level:.0%}",
        _percent(longest),
        [_bar(row, longest) for row in rows],
    )


def _text(shares: ProjectShares) -> str:
    """Say what the intervals rest on, or why there are none."""
    found = shares.found
    if not shares.has_intervals:
        return (
            "There are no intervals, because no document was drawn at random. Nobody knows how far "
            "the predictions are wrong, and these shares may be far from the truth. The command "
            "'satc configure PROJECT --audit 20%' mixes random documents into the work. Restart "
            "'satc serve' after it."
        )
    if found.n_validated == found.n_documents:
        return f"People have checked all {found.n_documents:,} documents: the shares are exact."
    return (
        f"The {found.level:.0%} intervals rest on {found.n_audited:,} checked documents that were "
        f"drawn at random and on {found.n_validated - found.n_audited:,} other checked documents. "
        f"The project has {found.n_documents:,} documents."
    )


def _bar(row: dict[str, Any], longest: float) -> Bar:
    start = end = width = None
    interval = "–"
    if math.isfinite(row["low"]):
        start, end = _place(row["low"], longest), _place(row["high"], longest)
        width = round(end - start, 2)
        interval = f"{_percent(row['low'])} to {_percent(row['high'])}"
    return Bar(
        name=row.get("name", row["class"]),
        share=_percent(row["share"]),
        interval=interval,
        documents=f"{row['count']:,.0f}",
        classifier=_percent(row["classifier"]),
        fill=_place(row["share"], longest),
        start=start,
        end=end,
        width=width,
    )


def _end(row: dict[str, Any]) -> float:
    return float(max(row["share"], row["high"] if math.isfinite(row["high"]) else 0.0))


def _place(value: float, longest: float) -> float:
    return round(100.0 * value / longest, 2)


def _percent(value: float) -> str:
    return f"{value:.2%}"
