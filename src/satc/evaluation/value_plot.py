"""A chart of the measure against the documents that people have checked.

Error reduction starts at 0 for every order, so it hides that some labels are better than others
before anyone reads a document. The measure itself shows both: where labels start, and how fast they
get better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.errors import MissingExtraError
from satc.evaluation.plot import MOST_POINTS


def value_chart(
    curves: Mapping[str, NDArray[np.float64]],
    measure: str = "measure",
    title: str = "",
    most: int | None = None,
    legend: str = "bottom-right",
) -> Any:
    """Draw the measure after n documents, one line for each name, as an Altair chart.

    Parameters
    ----------
    curves : mapping from names to arrays
        `Simulation.value` of each simulation.
    measure : str
        The name of the measure, for the axis.
    title : str
        Title of the chart.
    most : int, optional
        Draw the curves up to this number of documents.
    legend : str
        The place of the legend: "bottom-right" is inside the axes, "bottom" below them.
    """
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError("drawing a curve", "plots") from None
    end = None if most is None else most + 1
    rows = [row for name, curve in curves.items() for row in _points(name, curve[:end])]
    names = alt.Legend(orient=legend, columns=1, fillColor="white", padding=6, labelLimit=0)
    return (
        alt.Chart(alt.Data(values=rows), title=title, width=520, height=360)
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("documents:Q", title="documents checked"),
            y=alt.Y("value:Q", title=measure, scale=alt.Scale(zero=False)),
            color=alt.Color(
                "name:N",
                sort=list(curves),
                title=None,
                scale=alt.Scale(scheme="category10"),
                legend=names,
            ),
            tooltip=["name:N", "documents:Q", alt.Tooltip("value:Q", format=".3f")],
        )
    )


def _points(name: str, curve: NDArray[np.float64]) -> list[dict[str, Any]]:
    n = len(curve) - 1
    # Most changes are at the start: points are closer together there.
    chosen = np.unique((np.linspace(0, 1, min(n + 1, MOST_POINTS)) ** 2 * n).round().astype(int))
    return [{"name": name, "documents": int(i), "value": float(curve[i])} for i in chosen]
