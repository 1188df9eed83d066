import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from satc.gains import Gains
from satc.ranking.unfetched import UnfetchedBound

_gain = st.floats(-1, 5, allow_subnormal=False).map(lambda g: round(g, 3))
_gains = st.lists(_gain, min_size=6, max_size=6).map(
    lambda values: Gains(np.array(values[:3]), np.array(values[3:]))
)


@given(then=_gains, now=_gains, utility=st.floats(0.01, 5), most=st.sampled_from([0.5, 1.0]))
def test_the_bound_is_never_below_what_a_document_could_be_worth(then, now, utility, most):
    before, after = np.concatenate(then), np.concatenate(now)
    best = linprog(-after, A_ub=[before], b_ub=[utility], bounds=(0, most), method="highs")
    assert UnfetchedBound(utility, then, most).bound(now) >= -best.fun - 1e-9


@given(then=_gains, now=_gains, utility=st.floats(0.01, 5))
def test_it_is_what_the_best_of_all_documents_is_worth_where_no_gain_is_negative(
    then, now, utility
):
    before, after = (np.abs(np.concatenate(gains)) for gains in (then, now))
    best = linprog(-after, A_ub=[before], b_ub=[utility], bounds=(0, 0.5), method="highs")
    unfetched = UnfetchedBound(utility, Gains(before[:3], before[3:]), 0.5)
    assert unfetched.bound(Gains(after[:3], after[3:])) == pytest.approx(-best.fun, abs=1e-9)


def test_where_nothing_is_outside_there_is_nothing_to_bound():
    gains = Gains(np.ones(2), np.ones(2))
    assert UnfetchedBound(-np.inf, gains, 0.5).bound(gains) == -np.inf
