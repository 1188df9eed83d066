"""A chart of the expected values of a measure, with their interval, and of the observed ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from satc.errors import MissingExtraError


def forecast_chart(
    documents: Sequence[int],
    value: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    *,
    observed: Sequence[tuple[int, float]] = (),
    target: float | None = None,
    title: str = "",
    measure: str = "measure",
) -> Any:
    """Draw a forecast as an Altair chart.

    Parameters
    ----------
    documents, value, low, high : sequences
        The expected curve and its interval (`satc.assurance.Curve`).
    observed : pairs of documents and the measure
        The observed values.
    target : float, optional
        A value of the measure, drawn as a horizontal line.
    title : str
        Title of the chart.
    measure : str
        The name of the measure, for the axis.
    """
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError("drawing a curve", "plots") from None
    rows = [
        {"documents": int(n), "value": float(v), "low": float(a), "high": float(b)}
        for n, v, a, b in zip(documents, value, low, high, strict=True)
    ]
    x = alt.X("documents:Q", title="documents checked")
    scale = alt.Scale(zero=False)
    base = alt.Chart(alt.Data(values=rows), title=title, width=520, height=360)
    band = base.mark_area(opacity=0.25).encode(
        x=x, y=alt.Y("low:Q", title=measure, scale=scale), y2="high:Q"
    )
    chart = band + base.mark_line(strokeDash=[6, 3]).encode(x=x, y="value:Q")
    if observed:
        seen = [{"documents": int(n), "value": float(v)} for n, v in observed]
        line = alt.Chart(alt.Data(values=seen)).mark_line(color="black", strokeWidth=2)
        chart += line.encode(x=x, y="value:Q")
    if target is not None:
        rule = alt.Chart(alt.Data(values=[{"value": float(target)}])).mark_rule(color="gray")
        chart += rule.encode(y="value:Q")
    return chart
