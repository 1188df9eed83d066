"""Make the pictures of the page on the method, from formulas and from scores made here.

Run it as ``python docs/pictures.py``; it prints the figures that the page quotes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

import satc
from satc.contingency import ContingencyTables
from satc.evaluation.plot import error_reduction_chart, rendered
from satc.gains import average_gains, pointwise_gains
from satc.measures import F1, parse

IMAGES = Path(__file__).parent / "images"


def lines(rows: list[dict[str, Any]], x: alt.X, y: alt.Y, names: list[str], title: str) -> Any:
    """Draw one line for each name."""
    colour = alt.Color("name:N", sort=names, title=None, legend=alt.Legend(orient="bottom"))
    return (
        alt.Chart(alt.Data(values=rows), title=title, width=420, height=260)
        .mark_line(strokeWidth=2)
        .encode(x=x, y=y, color=colour)
    )


def logistic() -> Any:
    """P(error) against the confidence, for three growth rates (Equation 6)."""
    sigmas = (0.5, 1.0, 3.0)
    rows = [
        {"name": f"σ = {sigma:g}", "x": float(c), "y": float(1 / (1 + np.exp(sigma * c)))}
        for sigma in sigmas
        for c in np.linspace(0, 6, 40)
    ]
    x = alt.X("x:Q", title="confidence |score|")
    y = alt.Y("y:Q", title="P(error)", scale=alt.Scale(domain=[0, 0.5]))
    return lines(rows, x, y, [f"σ = {s:g}" for s in sigmas], "From confidence to P(error)")


def gains_by_frequency() -> Any:
    """The gain of a correction, for classes with the same F1 and different sizes."""
    rows = []
    for positives in np.geomspace(2, 2000, 30):
        table = tables(0.7 * positives, 0.3 * positives, 0.3 * positives, 1e4)
        gains = average_gains(F1, table)
        for name, gain in (("a false positive", gains.fp), ("a false negative", gains.fn)):
            rows.append({"name": name, "x": float(positives), "y": float(gain[0])})
    log = alt.Scale(type="log")
    tens = [alt.Axis(values=[10.0**k for k in powers]) for powers in (range(5), range(-4, 1))]
    x = alt.X("x:Q", title="documents of the class", scale=log, axis=tens[0])
    y = alt.Y("y:Q", title="rise of the class's F1", scale=log, axis=tens[1])
    names = ["a false negative", "a false positive"]
    return lines(rows, x, y, names, "What correcting one error brings, F1 = .7")


def pointwise() -> Any:
    """The paper's example: TP = 10, FP = 30, FN = 20, TN = 40, false negatives one by one."""
    rows = []
    for corrected in range(20):
        next_one = pointwise_gains(F1, tables(10 + corrected, 30, 20 - corrected, 40)).fn[0]
        whole = average_gains(F1, tables(10, 30, 20, 40)).fn[0]
        for name, gain in (("pointwise", next_one), ("average", whole)):
            rows.append({"name": name, "x": corrected + 1, "y": float(gain)})
        if corrected in (0, 19):
            print(f"false negative {corrected + 1}: pointwise {next_one:.4f}, average {whole:.4f}")
    x = alt.X("x:Q", title="false negative corrected")
    y = alt.Y("y:Q", title="rise of F1", scale=alt.Scale(domain=[0, 0.03]))
    return lines(rows, x, y, ["average", "pointwise"], "TP = 10, FP = 30, FN = 20")


def tables(tp: float, fp: float, fn: float, tn: float) -> ContingencyTables:
    return ContingencyTables(*np.array([[tp], [fp], [fn], [tn]], dtype=float))


def made(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Scores and labels of 30 classes, from frequent to rare."""
    scores = np.linspace(-0.5, -2.4, 30) + rng.normal(0, 0.8, (n, 30))
    return scores, rng.random((n, 30)) < 1 / (1 + np.exp(-5 * scores))


def reduction() -> Any:
    """What each method brings, on made scores."""
    rng = np.random.default_rng(0)
    (train, y_train), (test, y_test) = made(4000, rng), made(2000, rng)
    curves = {}
    for method in ("oracle2", "u-theoretic", "baseline", "random"):
        found = satc.simulate(test, y_test, oof_scores=train, y_train=y_train, method=method)
        curves[method] = found.error_reduction[:1001]
        print(
            f"{method}: ENER(.10) {found.ener(0.10):.3f}, after 200 of 2,000 "
            f"{found.error_reduction[200]:.0%} of the error is gone"
        )
    chart = error_reduction_chart(curves, title="Error reduction, macro-F1, made scores")
    return halved(chart)


def halved(chart: Any) -> Any:
    """The curves were cut at half of the documents, so the axis ends there."""
    for row in chart.data.values:
        row["validated"] /= 2
    return chart


def example() -> None:
    """Print the worked example of the page."""
    frequent, rare = tables(700, 300, 300, 8700), tables(7, 3, 3, 9987)
    for name, table, p in (("frequent", frequent, 0.40), ("rare", rare, 0.10)):
        gain = float(average_gains(F1, table).fn[0])
        print(f"{name}: P {p:.2f}, gain {gain:.6f}, utility {p * gain:.6f}")
    for measure in ("f1", "f2", "accuracy"):
        fp, fn = (float(gain[0]) for gain in average_gains(parse(measure), rare))
        print(f"{measure}: gain of a false positive {fp:.6f}, of a false negative {fn:.6f}")


if __name__ == "__main__":
    example()
    for draw in (logistic, gains_by_frequency, pointwise, reduction):
        path = IMAGES / f"method-{draw.__name__.replace('_', '-')}.svg"
        path.write_bytes(rendered(draw(), ".svg"))
        print(f"wrote {path.name}, {path.stat().st_size:,} bytes")
