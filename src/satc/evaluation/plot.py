"""Charts of error reduction (Figures 2 to 4 of the paper) and of reliability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.errors import MissingExtraError

FORMATS = (".svg", ".png", ".html")
# With more points a curve looks the same, but the file is larger.
MOST_POINTS = 400


def error_reduction_chart(curves: Mapping[str, NDArray[np.float64]], title: str = "") -> Any:
    """Draw ER(n) against the validated fraction, one line per method, as an Altair chart."""
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError("drawing a curve", "plots") from None
    rows = [row for name, curve in curves.items() for row in _points(name, curve)]
    names = list(curves)
    return (
        alt.Chart(alt.Data(values=rows), title=title, width=520, height=360)
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("validated:Q", title="documents validated", axis=alt.Axis(format="%")),
            y=alt.Y(
                "reduction:Q",
                title="error reduction",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            color=alt.Color(
                "method:N",
                sort=names,
                title=None,
                scale=alt.Scale(scheme="category10"),
                legend=alt.Legend(
                    orient="bottom-right", fillColor="white", padding=6, labelLimit=0
                ),
            ),
            strokeDash=alt.condition(
                alt.datum.method == "random", alt.value([4, 4]), alt.value([1, 0])
            ),
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("validated:Q", format=".1%"),
                alt.Tooltip("reduction:Q", format=".3f"),
            ],
        )
    )


Bins = Sequence[tuple[float, float, int]]  # mean probability, share of positives, pairs


def reliability_chart(bins: Mapping[str, Bins], title: str = "") -> Any:
    """Draw the share of positives against the predicted probability, one line per method."""
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError("drawing a curve", "plots") from None
    rows = [
        {"method": name, "probability": p, "positives": y, "pairs": n}
        for name, points in bins.items()
        for p, y, n in points
    ]
    axis = alt.Axis(format="%")
    scale = alt.Scale(domain=[0, 1])
    legend = alt.Legend(orient="bottom") if len(bins) > 1 else None
    base = alt.Chart(alt.Data(values=rows), title=title, width=360, height=360)
    lines = base.mark_line(point=True).encode(
        x=alt.X("probability:Q", title="probability given", axis=axis, scale=scale),
        y=alt.Y("positives:Q", title="share of positives", axis=axis, scale=scale),
        color=alt.Color("method:N", sort=list(bins), title=None, legend=legend),
    )
    ideal = (
        alt.Chart(alt.Data(values=[{"p": 0}, {"p": 1}]))
        .mark_line(strokeDash=[4, 4], color="gray")
        .encode(x="p:Q", y="p:Q")
    )
    return ideal + lines


def drawn_for_page(chart: Any, width: int = 400, height: int = 280) -> str:
    """Return a chart as SVG for a page: small, with large texts, so that a phone can show it."""
    size = {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal"}
    sized = chart.properties(width=width, height=height, background="transparent")
    return rendered(sized.configure(axis=size, legend=size), ".svg").decode()


def rendered(chart: Any, suffix: str) -> bytes:
    """Return a chart as SVG, PNG, or an HTML page that needs no network."""
    try:
        import vl_convert as convert
    except ImportError:
        raise MissingExtraError("drawing a curve", "plots") from None
    spec = chart.to_json()
    if suffix == ".png":
        return bytes(convert.vegalite_to_png(spec, scale=2))
    draw: dict[str, Callable[[str], Any]] = {".svg": convert.vegalite_to_svg, ".html": _page}
    return str(draw[suffix](spec)).encode()


def _page(spec: str) -> str:
    import vl_convert as convert

    return str(convert.vegalite_to_html(spec, bundle=True))


def _points(name: str, curve: NDArray[np.float64]) -> list[dict[str, Any]]:
    n = len(curve) - 1
    chosen = np.unique(np.linspace(0, n, min(n + 1, MOST_POINTS)).round().astype(int))
    return [
        {"method": name, "validated": float(i / n), "reduction": float(curve[i])} for i in chosen
    ]
