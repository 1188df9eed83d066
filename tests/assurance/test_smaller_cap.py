"""A smaller cap is a stronger assumption: no bound may become looser by it."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satc.assurance import certify
from satc.assurance.certificate.audit import as_decisions
from satc.assurance.certificate.betting import FIRST, HEDGED
from satc.assurance.certificate.found_errors import FoundErrors
from satc.assurance.certificate.measure_bounds import bounds_for_cap

CAPS = range(1, 7)


def random_log(seed):
    """Labels, and a log in which an audited document lacks at most one label."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(60, 400)), int(rng.integers(1, 6))
    truth = rng.random((n, m)) < rng.uniform(0.1, 0.6)
    rate = rng.choice([0.0, 0.005, 0.03, 0.1, 0.3])
    predicted = truth & (rng.random((n, m)) >= rate)
    lacks_more = (truth & ~predicted).cumsum(axis=1) > 1
    predicted |= truth & lacks_more
    predicted |= ~truth & (rng.random((n, m)) < rate * rng.uniform(0, 1))
    documents = rng.permutation(n)[: int(rng.integers(1, n))]
    is_audit = rng.random(len(documents)) < rng.uniform(0.2, 1.0)
    log = [
        (int(i), np.flatnonzero(truth[i]).tolist(), bool(audit))
        for i, audit in zip(documents, is_audit, strict=True)
    ]
    return predicted, log, rng


def lows(seed):
    """Bounds with every cap, caps x measures; half of the logs have documents shown twice."""
    predicted, log, rng = random_log(seed)
    options = {
        "confidence": rng.choice([0.8, 0.9, 0.95, 0.99]),
        "aim": rng.choice([0.8, 0.95]),
        "repeats": (rng.random(40) < 0.05).astype(int).tolist() if seed % 2 else [],
    }
    certificates = [certify(predicted, log, cap=cap, **options) for cap in CAPS]
    return np.array([[bound.low for bound in one.bounds] for one in certificates])


def rises(seeds):
    return max(float(np.diff(lows(seed), axis=0).max()) for seed in seeds)


@pytest.mark.slow
def test_a_smaller_cap_never_loosens_a_bound():
    assert rises(range(25)) <= 1e-9


@pytest.mark.slow
def test_a_smaller_cap_never_loosens_a_bound_of_many_logs():
    assert rises(range(25, 300)) <= 1e-9


@st.composite
def certified_logs(draw):
    """A small set with any errors, any log, and any undone decisions."""
    n, m = draw(st.integers(2, 25)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    truth, predicted = (rng.random((n, m)) < draw(st.floats(0, 1)) for _ in range(2))
    predicted = np.where(rng.random((n, m)) < draw(st.floats(0, 1)), truth, predicted)
    documents = rng.permutation(n)
    n_read = draw(st.integers(0, n))
    is_audit = rng.random(n) < draw(st.floats(0, 1))
    log = [
        (int(i), np.flatnonzero(truth[i]).tolist(), bool(is_audit[i])) for i in documents[:n_read]
    ]
    undone = [
        (int(i), *sorted(draw(st.tuples(*[st.integers(0, n_read)] * 2))))
        for i in documents[n_read:][: draw(st.integers(0, 3))]
    ]
    repeats = draw(st.lists(st.integers(0, 1), max_size=5))
    return predicted, log, {"undone": undone, "repeats": repeats, "aim": draw(st.floats(0.5, 0.99))}


@given(certified_logs())
@example((np.zeros((2, 1), dtype=bool), [(0, [], True)], {"aim": 0.5}))  # no label can be wrong
@settings(max_examples=60, deadline=None)
def test_a_smaller_cap_never_loosens_a_bound_whatever_was_done(given_log):
    predicted, log, options = given_log
    lacking = [len(set(labels) - set(np.flatnonzero(predicted[i]))) for i, labels, _ in log]
    caps = range(max(1, *lacking, 0), 6)
    found = [certify(predicted, log, cap=cap, **options) for cap in caps]
    lows = np.array([[bound.low for bound in one.bounds] for one in found])
    assert np.diff(lows, axis=0).max(initial=-1.0) <= 1e-9
    classes = np.array([[one[3:] for one in each.classes] for each in found])
    assert np.diff(classes, axis=0).max(initial=-1.0) <= 1e-9


def lacking_early(n=400):
    """A log where two documents early in the audit lack a label."""
    predicted = np.tile([True, False], (n, 1))
    log = [(i, [0, 1] if i in {1, 2} else [0], True) for i in range(n // 2)]
    return predicted, as_decisions(log, n, 2)


def recall_bounds(strategy):
    predicted, log = lacking_early()
    founds = [FoundErrors.of(predicted, log, cap, strategy) for cap in (1, 2)]
    return [dict(bounds_for_cap(found, [], 0.05, 0.95).bounds)["recall"] for found in founds]


def test_early_errors_made_cap_1_looser_in_the_first_format_and_do_not_any_more():
    one, two = recall_bounds(FIRST)
    assert one < two - 0.002
    one, two = recall_bounds(HEDGED)
    assert one > two


def test_the_bounds_are_the_lowest_of_all_caps_that_the_audit_allows():
    predicted, log, _ = random_log(4)
    each = [
        bounds_for_cap(
            FoundErrors.of(predicted, as_decisions(log, *predicted.shape), cap), [], 0.05, 0.95
        ).bounds
        for cap in (1, 2, 3)
    ]
    found = certify(predicted, log, cap=3)
    assert predicted.shape[1] > 3
    assert [one.low for one in found.bounds] == np.array(
        [[bound.low for bound in bounds] for bounds in each]
    ).min(axis=0).tolist()


def test_no_document_lacks_more_labels_than_there_are_classes():
    predicted, log = lacking_early()
    assert certify(predicted, log, cap=9).bounds == certify(predicted, log, cap=2).bounds
