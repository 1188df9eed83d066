import numpy as np
import pytest

from satc.evaluation.plot import rendered
from satc.evaluation.value_plot import value_chart


def test_each_curve_starts_at_its_first_value_and_ends_at_its_last():
    curves = {"chosen": np.linspace(0.6, 1.0, 5001), "signs": np.linspace(0.3, 1.0, 5001)}
    chart = value_chart(curves, "macro-F1", title="both")
    rows = chart.to_dict()["data"]["values"]
    for name, curve in curves.items():
        points = {row["documents"]: row["value"] for row in rows if row["name"] == name}
        assert (points[0], points[5000]) == (curve[0], curve[-1])
        assert len(points) <= 400
        assert all(value == pytest.approx(curve[n]) for n, value in points.items())
    assert b"macro-F1" in rendered(chart, ".svg")
