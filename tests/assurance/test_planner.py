import numpy as np
import pytest

import satc
from made import make


@pytest.fixture(scope="module")
def made():
    return make(n=400, m=6, n_train=800, seed=5)


@pytest.fixture(scope="module")
def outlook(made):
    return opened(made).outlook()


def opened(made, **options):
    return satc.Validation(made.scores, **made.training, method="u-theoretic", **options)


def test_the_curve_starts_at_the_estimate_and_ends_at_one(made):
    v = opened(made, average="micro")
    curve = v.outlook().curve()
    assert curve.documents[0] == 0
    assert curve.documents[-1] == 400
    assert curve.value[0] == pytest.approx(v.accuracy().value, abs=0.01)
    assert curve.low[-1] == curve.value[-1] == curve.high[-1] == 1.0
    assert np.all(np.diff(curve.value) > -1e-9)
    assert np.all(curve.low <= curve.value)
    assert np.all(curve.value <= curve.high)


@pytest.mark.parametrize("method", ["u-theoretic", "u-theoretic-dynamic"])
def test_the_plan_is_near_what_it_takes(made, method):
    v = satc.Validation(made.scores, **made.training, method=method, average="micro")
    planned = v.plan(0.9, 0.5).documents
    while v.n_validated < 400:
        labels = v.labels
        tp = (labels & made.y_true).sum()
        if 2 * tp / (labels.sum() + made.y_true.sum()) >= 0.9:
            break
        i = v.next()
        v.submit(i, made.y_true[i])
    assert planned == pytest.approx(v.n_validated, rel=0.3)


def test_more_certainty_and_a_higher_target_take_more(outlook):
    assert outlook.plan(0.9, 0.5).documents < outlook.plan(0.9, 0.95).documents
    assert outlook.plan(0.8).documents < outlook.plan(0.95).documents


def test_a_target_that_is_reached_takes_nothing(made):
    assert opened(made).plan(0.01).documents == 0


@pytest.mark.slow
def test_hours_and_cost_follow_the_documents(made):
    v = opened(made)
    plan = v.plan(0.9, minutes=3.0, price=40.0)
    assert plan.hours == pytest.approx(plan.documents * 3 / 60)
    assert plan.cost == pytest.approx(plan.hours * 40)
    assert v.plan(0.9).hours is None
    costly = opened(made, costs=np.linspace(1, 9, 400))
    plan = costly.plan(0.9)
    order = costly.outlook()._order[: plan.documents]
    assert plan.hours == pytest.approx(np.linspace(1, 9, 400)[order].sum() / 60)


def test_what_hours_buy_is_what_their_documents_buy(made):
    outlook = opened(made).outlook(minutes=2.0)
    bought = outlook.afford(hours=2.0)
    assert bought == outlook.afford(documents=60)
    assert bought.low < bought.value < bought.high
    assert outlook.afford(hours=1e6).value == 1.0
    assert outlook.plan(bought.value, 0.5).documents == pytest.approx(60, abs=15)


def test_documents_that_are_taken_are_still_to_be_read(made):
    v = opened(made)
    v.take()
    assert v.outlook().documents[-1] == 400


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda o: o.plan(1.5), "target must be above 0 and up to 1, but is 1.5"),
        (lambda o: o.plan(0.9, 1.0), "probability must be between 0 and 1, but is 1.0"),
        (lambda o: o.afford(), "exactly one of documents and hours must be given"),
        (lambda o: o.afford(hours=2), "hours need minutes"),
    ],
)
def test_what_cannot_be_planned_is_refused(outlook, act, message):
    with pytest.raises(ValueError, match=message):
        act(outlook)


def test_reading_does_not_take_less_than_no_time(made):
    with pytest.raises(ValueError, match="minutes must be finite and 0 or more"):
        opened(made).outlook(minutes=-1.0)
