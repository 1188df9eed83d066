"""A chart of figures with their intervals, one line for each name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from satc.errors import MissingExtraError


class Interval(NamedTuple):
    """A figure with its interval."""

    name: str
    value: float
    low: float
    high: float
    is_ours: bool = False  # drawn in another colour


def interval_chart(intervals: Sequence[Interval], axis: str, title: str = "") -> Any:
    """Draw a point and a bar for each interval, in the given order, as an Altair chart."""
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError("drawing intervals", "plots") from None
    rows = [one._asdict() for one in intervals]
    base = alt.Chart(alt.Data(values=rows), title=title, width=420, height={"step": 16})
    names = alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=0))
    colour = alt.condition(alt.datum.is_ours, alt.value("#ff7f0e"), alt.value("#1f77b4"))
    scale = alt.Scale(zero=False)
    bars = base.mark_rule(strokeWidth=2).encode(
        y=names, x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q", color=colour
    )
    points = base.mark_point(filled=True, size=50, opacity=1).encode(
        y=names,
        x=alt.X("value:Q", title=axis, scale=scale),
        color=colour,
        tooltip=["name:N", *(alt.Tooltip(f"{end}:Q") for end in ("value", "low", "high"))],
    )
    return bars + points
