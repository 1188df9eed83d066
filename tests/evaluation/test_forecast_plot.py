from satc.evaluation.forecast_plot import forecast_chart
from satc.evaluation.plot import rendered


def test_a_forecast_has_a_band_a_line_what_was_observed_and_the_target():
    chart = forecast_chart(
        [0, 10, 20],
        [0.6, 0.8, 1.0],
        [0.5, 0.7, 1.0],
        [0.7, 0.9, 1.0],
        observed=[(0, 0.61), (10, 0.83)],
        target=0.9,
        title="ahead",
    )
    spec = chart.to_dict()
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["area", "line", "line", "rule"]
    assert b"ahead" in rendered(chart, ".svg")


def test_without_observations_there_is_only_the_forecast():
    spec = forecast_chart([0, 5], [0.5, 1], [0.4, 1], [0.6, 1]).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line"]
