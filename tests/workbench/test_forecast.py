import threading

import numpy as np
import pytest
from calling import BASE
from projects_made import make

from satc.assurance.live.planner import Curve, Plan, Prospect
from satc.workbench.review.accuracy import forecast as forecast_module
from satc.workbench.review.accuracy.forecast import AgedOutlook, Basis, Forecast


class Straight:
    """An outlook of 100 documents, of which 40 reach the target, at a minute each."""

    has_hours = True

    def plan(self, target, probability, *, price=None):
        hours = 40 / 60
        return Plan(target, probability, 40, hours, hours * (price or 0), self.curve())

    def afford(self, *, documents=None, hours=None):
        n = min(documents if hours is None else int(60 * hours), 100)
        return Prospect(n, 0.5 + n / 200, 0.4, 1.0)

    def curve(self):
        documents = np.arange(0, 101, 10)
        value = 0.5 + documents / 200
        return Curve(documents, value, value - 0.1, value + 0.1)


def aged(since, left=None):
    return AgedOutlook(Straight(), since, 100 - since if left is None else left)


def test_documents_validated_since_are_subtracted():
    plan = aged(15).plan(0.7, 0.9, price=60.0)
    assert plan.documents == 25
    assert plan.hours == pytest.approx(25 / 60)
    assert plan.cost == pytest.approx(25)


def test_only_a_new_forecast_says_that_the_target_is_reached():
    assert aged(60).plan(0.7, 0.9).documents == 1


def test_no_plan_needs_more_documents_than_are_left():
    assert aged(0, left=8).plan(0.7, 0.9).documents == 8
    assert aged(100).plan(0.7, 0.9).documents == 0


def test_the_curve_starts_now_and_ends_with_the_last_document():
    curve = aged(15).plan(0.7, 0.9).curve
    assert (curve.documents[0], curve.documents[-1]) == (0, 85)
    assert curve.value[0] == pytest.approx(0.5 + 15 / 200)
    assert curve.value[-1] == pytest.approx(1.0)
    np.testing.assert_allclose(curve.value - curve.low, 0.1)


def test_a_decision_that_was_undone_gives_its_document_back():
    assert aged(-3).plan(0.7, 0.9).documents == 43


def test_hours_buy_documents_from_now_on():
    prospect = aged(15).afford(hours=0.5)
    assert (prospect.documents, prospect.value) == (30, pytest.approx(0.5 + 45 / 200))
    assert aged(95).afford(hours=0.5).documents == 5


@pytest.fixture
def computed(monkeypatch):
    """A forecast, and how often it was computed."""
    monkeypatch.setattr(forecast_module, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(forecast_module, "_PAUSE", 0.0)
    model, count = object(), []

    def compute():
        count.append(1)
        return Basis(model, len(count), 0), Straight()

    return Forecast(compute, "made"), model, count


def test_a_forecast_is_computed_again_only_if_labels_have_changed(computed):
    forecast, model, count = computed
    for _ in range(3):
        forecast.get(Basis(model, 1, 0), 100)
    assert len(count) == 1
    forecast.get(Basis(model, 2, 4), 96)
    assert len(count) == 2


def test_a_forecast_is_not_computed_for_every_change(computed, monkeypatch):
    forecast, model, count = computed
    monkeypatch.setattr(forecast_module, "_LEAST_SECONDS", 1e6)
    forecast.get(Basis(model, 1, 0), 100)
    later = forecast.get(Basis(model, 9, 8), 92)
    assert (len(count), later.since, later.left) == (1, 8, 92)
    forecast.get(Basis(object(), 9, 8), 92)
    assert len(count) == 2  # another model


def test_nobody_waits_for_the_first_forecast():
    may_end, basis = threading.Event(), Basis(object(), 1, 0)

    def compute():
        may_end.wait()
        return basis, Straight()

    forecast = Forecast(compute, "made")
    assert forecast.get_soon(basis, 100) is None
    assert forecast.get_soon(basis, 100) is None  # still the same computation
    (thread,) = (one for one in threading.enumerate() if one.name == "forecast made")
    may_end.set()
    thread.join()
    assert forecast.get_soon(basis, 100).left == 100


def test_the_page_counts_down_to_the_last_document(client, made, monkeypatch):
    monkeypatch.setattr("satc.workbench.review.accuracy.live._ESTIMATE_SECONDS", 0.0)
    monkeypatch.setattr(forecast_module, "_LEAST_SECONDS", 1e6)  # one forecast for all
    project = client.app.state.open_projects.open("claims")
    project.live_accuracy.prepare()
    first = client.get(f"{BASE}/plan", params={"target": 0.99}).json()
    assert first["curve"][-1]["n"] == 40
    assert first["documents"] > 5
    for n in range(1, 41):
        given = client.post(f"{BASE}/next").json()["assignment"]
        labels = np.flatnonzero(make(n=40).y_true[given["document"]["index"]]).tolist()
        client.post(f"{BASE}/leases/{given['lease']}/decision", json={"labels": labels})
        if n in (5, 20, 39):
            plan = client.get(f"{BASE}/plan", params={"target": 0.99}).json()
            assert (plan["curve"][0]["n"], plan["curve"][-1]["n"]) == (n, 40)
            assert plan["documents"] == min(max(first["documents"] - n, 1), 40 - n)
            status = client.get(f"{BASE}/status").json()
            assert 0 <= status["documents_left"] <= 40 - n
    status = client.get(f"{BASE}/status").json()
    assert status["documents_left"] == 0
    assert status["headline"]["level"] == "good"
    assert status["headline"]["text"] == "All 40 documents are checked."
    assert client.get(f"{BASE}/plan").status_code == 409
