"""Documents go to a reviewer where that is expected to cost less than it saves."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import satc
from satc.review_stages import ACTIONS, ReviewCosts, play
from satc.review_stages.costs import ERRORS

MADE = settings(max_examples=60)
COST = st.floats(0.0, 100.0)
COSTS = st.tuples(*[COST] * 6).map(
    lambda c: [[0.0, c[0], c[1]], [c[2], 0.0, c[3]], [c[4], c[5], 0.0]]
)
PRICES = st.tuples(st.floats(0.0, 20.0), st.floats(0.0, 20.0))
PROBABILITY = st.floats(0.0, 1.0)
DOCUMENTS = st.lists(st.tuples(PROBABILITY, PROBABILITY), min_size=1, max_size=6)


def plain_risk(r, p, errors):
    """The least expected cost and its action, by the definition."""
    right = {"produce": r * (1 - p), "log": r * p, "withhold": 1 - r}
    expected = {
        action: sum(errors[i][j] * right[ACTIONS[j]] for j in range(3))
        for i, action in enumerate(ACTIONS)
    }
    return min((cost, ACTIONS.index(action)) for action, cost in expected.items())


class PlainReview:
    """One document, by the definition: who reads it, and what it is expected to cost."""

    def __init__(self, r, p, errors, prices, look_ahead):
        self.p, self.errors, (junior, self.senior) = p, errors, prices
        self.margins = []  # by how much each decision was made
        if look_ahead:
            skip = self.privilege(r)[0]
            ask = junior + r * self.privilege(1)[0] + (1 - r) * self.privilege(0)[0]
        else:
            skip, yes, no = (plain_risk(known, p, errors)[0] for known in (r, 1, 0))
            ask = junior + r * yes + (1 - r) * no
        self.margins.append(abs(ask - skip))
        self.first, self.second, self.later = ask < skip, False, 0.0
        if self.first:
            self.later = r * self.privilege(1)[1] + (1 - r) * self.privilege(0)[1]
            self.cost = junior + r * self.privilege(1)[0] + (1 - r) * self.privilege(0)[0]
        else:
            self.cost, self.second = self.privilege(r)

    def privilege(self, r):
        """Expected cost from the second stage on, and whether the senior reviewer reads."""
        stop, yes, no = (plain_risk(r, known, self.errors)[0] for known in (self.p, 1, 0))
        read = self.p * yes + (1 - self.p) * no + self.senior
        self.margins.append(abs(read - stop))
        return min((stop, False), (read, True))


@pytest.mark.parametrize("look_ahead", [False, True])
@MADE
@given(documents=DOCUMENTS, errors=COSTS, prices=PRICES)
def test_the_plan_is_that_of_the_definition(look_ahead, documents, errors, prices):
    r, p = zip(*documents, strict=True)
    review = satc.two_stage(r, p, costs=errors, prices=prices, look_ahead=look_ahead)
    for i in range(len(r)):
        risk, _ = plain_risk(r[i], p[i], errors)
        taken = np.array(errors)[ACTIONS.index(review.action[i])]
        assert taken @ [r[i] * (1 - p[i]), r[i] * p[i], 1 - r[i]] == pytest.approx(risk, abs=1e-9)
        plain = PlainReview(r[i], p[i], errors, prices, look_ahead)
        if min(plain.margins) < 1e-9:
            continue  # rounding decides
        assert review.to_responsiveness[i] == plain.first
        assert review.to_privilege[i] == plain.second
        assert review.later_to_privilege[i] == pytest.approx(plain.later)
        assert review.expected_cost[i] == pytest.approx(plain.cost, abs=1e-9)


@pytest.mark.parametrize("look_ahead", [False, True])
@MADE
@given(documents=DOCUMENTS, errors=COSTS, prices=PRICES)
def test_a_review_never_raises_the_expected_cost(look_ahead, documents, errors, prices):
    r, p = zip(*documents, strict=True)
    review = satc.two_stage(r, p, costs=errors, prices=prices, look_ahead=look_ahead)
    assert review.after.total <= review.before.total + 1e-9
    assert review.after.misclassification <= review.before.misclassification + 1e-9
    assert review.after.total == pytest.approx(review.expected_cost.sum())
    readings = prices[0] * review.to_responsiveness.sum()
    readings += prices[1] * (review.to_privilege.sum() + review.later_to_privilege.sum())
    assert review.after.annotation == pytest.approx(readings)
    assert not (review.to_responsiveness & review.to_privilege).any()


@MADE
@given(documents=DOCUMENTS, errors=COSTS, prices=PRICES)
def test_looking_ahead_never_costs_more(documents, errors, prices):
    r, p = zip(*documents, strict=True)
    near, far = (
        satc.two_stage(r, p, costs=errors, prices=prices, look_ahead=ahead).after.total
        for ahead in (False, True)
    )
    assert far <= near + 1e-9


@MADE
@given(documents=DOCUMENTS, errors=COSTS, prices=PRICES, seed=st.integers(0, 99))
def test_a_played_review_is_expected_to_cost_what_was_said(documents, errors, prices, seed):
    """The mean over all answers, each with its probability."""
    (r, p), *_ = documents
    expected, total = None, 0.0
    for yes, private in product([True, False], repeat=2):
        played = play([r], [p], [yes], [private], costs=errors, prices=prices)
        share = (r if yes else 1 - r) * (p if private else 1 - p)
        total += share * played.second.total
        expected = played.expected.total
        assert played.second.total == played.second.annotation + played.second.misclassification
        readings = prices[0] * played.n_responsiveness + prices[1] * played.n_privilege
        assert played.second.annotation == pytest.approx(readings)
    assert total == pytest.approx(expected, abs=1e-6)


def test_the_answers_of_the_first_stage_decide_on_the_second():
    r, p = [0.5, 0.5, 0.5], [0.3, 0.3, 0.0]
    review = satc.two_stage(r, p)
    assert review.to_responsiveness.tolist() == [True, True, True]
    assert review.later_to_privilege.tolist() == [0.5, 0.5, 0.0]
    after = satc.two_stage(r, p, known_responsive={0: True, 1: False, 2: True})
    assert after.to_privilege.tolist() == [True, False, False]
    assert after.action.tolist()[1:] == ["withhold", "produce"]
    end = satc.two_stage(
        r, p, known_responsive={0: True, 1: False, 2: True}, known_privileged={0: True}
    )
    assert end.action.tolist() == ["log", "withhold", "produce"]
    assert end.after == end.before == (8.0, 0.0)
    assert not (end.to_responsiveness | end.to_privilege).any()


def test_nobody_reads_where_reading_costs_more_than_errors():
    review = satc.two_stage([0.5], [0.5], prices=(1000, 1000))
    assert not (review.to_responsiveness | review.to_privilege).any()
    assert review.after == review.before


def test_everything_uncertain_is_read_where_reading_is_free():
    rng = np.random.default_rng(0)
    r, p = rng.uniform(0.2, 0.8, (2, 50))
    review = satc.two_stage(r, p, prices=(0, 0))
    assert review.to_responsiveness.all()
    assert review.after.total == pytest.approx(0.0)


def test_a_privileged_document_that_is_produced_costs_most():
    assert max(max(row) for row in ERRORS) == ERRORS[0][1]
    assert satc.two_stage([1.0], [0.5], prices=(99, 99)).action.tolist() == ["withhold"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"responsive": [1.2]}, "responsive must hold probabilities from 0 to 1"),
        ({"privileged": [[0.5]]}, r"privileged must have one probability .* shape \(1, 1\)"),
        ({"privileged": [0.5, 0.5]}, "one probability per document, but have 1 and 2"),
        ({"privileged": [float("nan")]}, "privileged must hold probabilities"),
        ({"costs": [[0, 1], [1, 0]]}, "costs must have a row and a column for each of produce"),
        ({"costs": np.ones((3, 3))}, "costs must be 0 on the diagonal"),
        ({"costs": -np.array(ERRORS)}, "costs must be finite numbers from 0 up"),
        ({"costs": {("produce", "lock"): 1}}, "costs must name pairs of produce, log, withhold"),
        ({"prices": (1, 2, 3)}, "prices must be two numbers"),
        ({"prices": (1, -2)}, "prices must be finite numbers from 0 up"),
        ({"known_responsive": {3: True}}, "known_responsive must map documents, 0 to 0"),
        ({"known_privileged": {0: "yes"}}, "to True or False, but maps 0 to 'yes'"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    given = {"responsive": [0.5], "privileged": [0.5]} | arguments
    with pytest.raises(ValueError, match=message):
        satc.two_stage(given.pop("responsive"), given.pop("privileged"), **given)


def test_costs_can_be_named():
    named = {("produce", "log"): 600, ("produce", "withhold"): 5, ("log", "produce"): 150}
    named |= {("log", "withhold"): 3, ("withhold", "produce"): 15, ("withhold", "log"): 15}
    assert np.array_equal(ReviewCosts.of(named).errors, np.array(ERRORS))
