"""Shares after decisions were undone: documents were outside of the frame of some draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satc.assurance.certificate.audit import AuditedDecision, AuditSample
from satc.assurance.shares import shares_of_log

LEVEL = 0.95


def made(seed, n=400, m=2):
    rng = np.random.default_rng(seed)
    probability = rng.beta(0.5, 1.2, size=(n, m))
    return probability, rng.random((n, m)) < probability


def decisions_on(truth, documents, is_audit):
    labels = [tuple(np.flatnonzero(truth[i]).tolist()) for i in documents]
    return [
        AuditedDecision(int(i), given, is_audit) for i, given in zip(documents, labels, strict=True)
    ]


def drawn(n, outside, n_draws, seed):
    audit = AuditSample(n, seed)
    return [audit.draw(outside) for _ in range(n_draws)]


def hidden(truth, seed, n_hidden=60, n_draws=120):
    """Somebody decides on documents of class 0, others are drawn, and the first undoes all."""
    taken = np.flatnonzero(truth[:, 0])[:n_hidden].tolist()
    log = decisions_on(truth, drawn(len(truth), taken, n_draws, seed), True)
    return log, [(i, 0, n_draws) for i in taken]


@pytest.mark.slow
def test_intervals_cover_whatever_was_undone():
    missed, naive = 0, 0
    for seed in range(40):
        f, truth = made(seed)
        log, undone = hidden(truth, seed)
        share = truth[:, 0].mean()
        found = shares_of_log(f, log, undone=undone, level=LEVEL)
        plain = shares_of_log(f, log, level=LEVEL)
        missed += not found.low[0] <= share <= found.high[0]
        naive += not plain.low[0] <= share <= plain.high[0]
    assert missed <= 2
    assert naive > 10  # as if nothing had been undone


def test_a_decision_that_was_undone_and_made_again_costs_nothing():
    f, truth = made(3)
    taken = list(range(40))
    first = decisions_on(truth, taken, False)
    audits = decisions_on(truth, drawn(len(truth), taken, 80, 3), True)
    plain = shares_of_log(f, [*first, *audits])
    again = shares_of_log(f, [*audits, *first], undone=[(i, 0, 80) for i in taken])
    for name in ("share", "low", "high"):
        assert getattr(again, name) == pytest.approx(getattr(plain, name), abs=1e-12)


def test_draws_before_and_after_an_undo_have_frames_of_their_own():
    f, truth = made(4)
    audits = drawn(len(truth), [7], 30, 4)
    log = decisions_on(truth, audits, True)
    undone_early = shares_of_log(f, log, undone=[(7, 0, 10)])
    undone_late = shares_of_log(f, log, undone=[(7, 0, 30)])
    never = shares_of_log(f, log)
    early, late, none = ((one.high - one.low).sum() for one in (undone_early, undone_late, never))
    assert none < early < late


def test_groups_count_their_own_undone_documents():
    f, truth = made(5)
    log, undone = hidden(truth, 5)
    groups = np.array(["even", "odd"] * 200)
    found = shares_of_log(f, log, undone=undone, groups=groups.tolist())
    plain = shares_of_log(f, log, groups=groups.tolist())
    for name in ("even", "odd"):
        share = truth[groups == name, 0].mean()
        part = found.groups[name]
        assert part.low[0] <= share <= part.high[0]
        assert part.high[0] - part.low[0] > plain.groups[name].high[0] - plain.groups[name].low[0]


def test_draws_of_a_whole_frame_say_nothing_about_others():
    f, truth = made(6, n=30)
    log = decisions_on(truth, range(10), True)
    found = shares_of_log(f, log, undone=[(i, 0, 10) for i in range(10, 30)])
    assert np.isnan(found.low).all()
    assert found.share == pytest.approx((truth[:10].sum(axis=0) + f[10:].sum(axis=0)) / 30)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_bounds_are_in_order_and_agree_with_what_is_known(data):
    n = data.draw(st.integers(3, 20))
    f, truth = made(data.draw(st.integers(0, 10**6)), n=n, m=1)
    n_read = data.draw(st.integers(1, n - 1))
    is_audit = data.draw(st.lists(st.booleans(), min_size=n_read, max_size=n_read))
    log = [
        decisions_on(truth, [i], audit)[0] for i, audit in zip(range(n_read), is_audit, strict=True)
    ]
    places = st.tuples(st.integers(0, n_read), st.integers(0, n_read)).map(sorted)
    undone = [(i, *data.draw(places)) for i in range(n_read, n) if data.draw(st.booleans())]
    found, plain = (shares_of_log(f, log, undone=one) for one in (undone, ()))
    known = truth[:n_read].sum() / n
    if np.isnan(found.low).any():
        return
    assert known - 1e-12 <= found.low[0] <= found.share[0] + 1e-12
    assert found.share[0] <= found.high[0] + 1e-12 <= known + (n - n_read) / n + 2e-12
    assert not np.isnan(plain.low).any()
