import numpy as np
import pytest

from satc.assurance.certificate.betting import (
    FIRST,
    HEDGED,
    Draws,
    log_wealth,
    stakes_of,
    upper_mean,
    upper_total,
)


def drawn(values):
    """Draws of all documents of a set, in order, with no other documents read in between."""
    values = np.asarray(values, dtype=float)
    known = np.cumsum(values) - values
    return Draws(values, known, np.arange(len(values), 0, -1.0))


def first(draws, k):
    return Draws(*(column[:k] for column in draws))


def test_the_bound_is_the_total_when_everything_was_drawn():
    draws = drawn([0, 2, 0, 1, 0, 0, 3])
    assert upper_total(draws, largest=4.0, error=0.05) == pytest.approx(6)


def test_more_clean_draws_bring_the_bound_down():
    draws = drawn(np.zeros(500))
    bounds = [upper_total(first(draws, k), 2.0, 0.05) for k in (50, 100, 200, 400)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < bounds[0] / 4


def test_a_larger_total_always_makes_us_richer():
    values = np.random.default_rng(0).binomial(3, 0.1, 300)
    draws = first(drawn(values), 120)
    stakes = stakes_of(draws.value, 3.0, 0.05)
    wealth = [log_wealth(draws, stakes, total) for total in np.linspace(40, 500, 60)]
    assert wealth == sorted(wealth)
    assert wealth[0] < wealth[-1]


def test_what_is_found_between_two_draws_lowers_what_is_left():
    values = np.zeros(80)
    left = 200.0 - np.arange(80)
    nothing_found = Draws(values, np.zeros(80), left)
    some_found = Draws(values, np.where(np.arange(80) < 40, 0.0, 5.0), left)
    plain = upper_total(nothing_found, 1.0, 0.05)
    found = upper_total(some_found, 1.0, 0.05)
    assert plain < found < plain + 5


@pytest.mark.parametrize("error", [0.3, 0.1])
def test_the_total_is_ever_refuted_as_rarely_as_promised(error):
    rng = np.random.default_rng(1)
    refuted = 0
    for _ in range(600):
        values = rng.permutation(np.repeat([0.0, 1.0, 4.0], [170, 25, 5]))
        draws = drawn(values)
        stakes = stakes_of(draws.value, 4.0, error)
        refuted += log_wealth(draws, stakes, values.sum()) >= -np.log(error)
    assert 0 < refuted < 600 * error


def test_people_may_choose_documents_in_between_by_what_the_draws_found():
    rng = np.random.default_rng(2)
    refuted = 0
    for _ in range(400):
        values = np.repeat([0.0, 1.0], [100, 20])
        left, known, rows = list(range(120)), 0.0, []
        for _ in range(40):
            i = left.pop(rng.integers(len(left)))
            rows.append((values[i], known, len(left) + 1.0))
            known += values[i]
            if values[i] and left:  # an error was drawn: people read a document next to it
                j = min(left, key=lambda k, i=i: abs(k - i))
                left.remove(j)
                known += values[j]
        draws = Draws(*np.array(rows).T.copy())
        stakes = stakes_of(draws.value, 1.0, 0.2)
        refuted += log_wealth(draws, stakes, 20.0) >= -np.log(0.2)
    assert 0 < refuted < 400 * 0.2


def test_a_mean_is_bounded_by_its_largest_value_before_the_first_draw():
    assert upper_mean(np.zeros(0), 3.0, 0.05) == 3.0
    assert 1.0 < upper_mean(np.ones(2000), 3.0, 0.05) < 1.1


def test_a_value_above_the_largest_is_refused():
    with pytest.raises(ValueError, match="largest must not be below any value, but is 1 and"):
        upper_total(drawn([0, 2]), 1.0, 0.05)


def bisected(draws, largest, error, strategy):
    """The lowest total that is refuted, found with the wealth after all draws."""
    stakes = stakes_of(draws.value, largest, error, strategy)
    low = draws.known[-1] + draws.value[-1]
    high = low + (draws.left[-1] - 1.0) * largest

    def is_refuted(total):
        return log_wealth(draws, stakes, total, strategy) >= -np.log(error)

    if not is_refuted(high):
        return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if is_refuted(middle) else (middle, high)
    return high


@pytest.mark.parametrize("strategy", [FIRST, HEDGED])
@pytest.mark.parametrize("rate", [0.0, 0.01, 0.1, 0.5])
def test_the_bound_is_exactly_that_of_a_bisection_which_follows_all_draws(strategy, rate):
    rng = np.random.default_rng(2)
    for k in (1, 5, 30, 60, 119, 120):
        values = rng.integers(0, 4, 120) * (rng.random(120) < rate)
        draws = first(drawn(values), k)
        undone = draws._replace(known=draws.known + 2.0 * (np.arange(k) == k // 2))
        for error in (0.01, 0.2):
            for one in (draws, undone):
                assert upper_total(one, 3.0, error, strategy) == bisected(one, 3.0, error, strategy)
