"""The shares of classes: exact cases, an enumeration of all draws, coverage, and errors."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import norm

import satc
from satc.assurance import AuditSample
from satc.assurance.certificate.audit import AuditedDecision
from satc.assurance.shares import shares_of_log
from satc.assurance.shares.interval import difference_estimate
from satc.assurance.shares.recalibration import SPREAD, fitted, recalibrated
from satc.assurance.shares.sample import Log, sample_of

SHARES = np.array([0.4, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005])


def population(n=1500, seed=0, sharpness=1.8):
    """Return probabilities and labels of documents; the probabilities are calibrated."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(0.0, sharpness, (n, len(SHARES)))
    probability = 1.0 / (1.0 + np.exp(-hidden * 1.5 - norm.ppf(SHARES) * 2.2))
    return probability, rng.random(probability.shape) < probability


def audited(predictions, y, n, seed, **options):
    rows = np.random.default_rng([7, seed]).permutation(len(y))[:n]
    return satc.shares(predictions, rows, y[rows], **options)


def coverage(predictions, y, n, n_audits=150):
    """Return how often each class is covered, and the mean width of its interval."""
    truth = y.mean(axis=0)
    found = [audited(predictions, y, n, seed) for seed in range(n_audits)]
    covered = [(one.low <= truth + 1e-12) & (truth <= one.high + 1e-12) for one in found]
    return np.mean(covered, axis=0), np.mean([one.high - one.low for one in found], axis=0)


def wilson_width(y, n, n_audits=150):
    """Return the mean width of Wilson's interval of the audited documents alone."""
    widths, size, z2 = [], n / (1 - n / len(y)), norm.ppf(0.975) ** 2
    for seed in range(n_audits):
        mean = y[np.random.default_rng([7, seed]).permutation(len(y))[:n]].mean(axis=0)
        half = np.sqrt(z2 * (mean * (1 - mean) / size + z2 / 4 / size**2)) / (1 + z2 / size)
        widths.append(2 * half)
    return np.mean(widths, axis=0)


def log_of(y, entries):
    return [AuditedDecision(i, tuple(np.flatnonzero(y[i]).tolist()), a) for i, a in entries]


def test_an_audit_of_all_documents_is_exact():
    probability, y = population(60)
    found = audited(probability, y, 60, 0)
    for value in (found.share, found.low, found.high):
        assert value.tolist() == y.mean(axis=0).tolist()
    assert found.count.round(9).tolist() == y.sum(axis=0).tolist()


def test_known_documents_are_counted_as_they_are():
    probability, y = population(300)
    known, drawn = np.arange(200), np.arange(200, 290)
    found = satc.shares(probability, drawn, y[drawn], known=known, y_known=y[known])
    assert (found.n_documents, found.n_validated, found.n_audited) == (300, 290, 90)
    assert found.validated.tolist() == y[:290].sum(axis=0).tolist()
    assert found.audited.tolist() == y[200:290].sum(axis=0).tolist()
    assert (found.low >= y[:290].sum(axis=0) / 300).all()
    assert (found.high <= (y[:290].sum(axis=0) + 10) / 300).all()


def test_draws_one_by_one_are_a_simple_random_sample():
    """The estimate and the information of a sample, by the formulas of textbooks."""
    probability, y = population(200)
    rows = np.random.default_rng(1).permutation(200)[:40]
    sample = sample_of(probability, Log(rows, y[rows], np.ones(40, dtype=bool)))
    rest = np.setdiff1d(np.arange(200), rows)
    slope = np.full(len(SHARES), 0.7)
    mean = 0.7 * probability[rest].mean(axis=0) + (y[rows] - 0.7 * probability[rows]).mean(axis=0)
    assert difference_estimate(sample, slope) == pytest.approx(160 * mean)
    assert 1 / sample.information == pytest.approx(200**2 / 40 * (1 - 40 / 200))
    assert sample.n_effective == pytest.approx(40)


def test_the_estimate_is_unbiased_when_people_react_to_what_the_audit_finds():
    """All sequences of draws of a small set, with the probability of each."""
    f = np.array([[0.9], [0.2], [0.4], [0.1], [0.6], [0.3]])
    y = np.array([[1], [0], [1], [0], [0], [1]], dtype=bool)
    mean = Fraction(0)
    for first in range(6):
        # After a positive draw people look at the most likely documents, else at the least likely.
        left = sorted((i for i in range(6) if i != first), key=lambda i: f[i, 0])
        chosen = left[-2:] if y[first, 0] else left[:2]
        frame = [i for i in left if i not in chosen]
        for second in frame:
            documents = np.array([first, *chosen, second])
            is_audit = np.array([True, *[False] * len(chosen), True])
            sample = sample_of(f, Log(documents, y[documents], is_audit))
            estimate = difference_estimate(sample, np.array([0.7]))[0] + y[documents].sum()
            mean += Fraction(estimate) / (6 * len(frame))
    assert float(mean) == pytest.approx(3.0, abs=1e-12)


def test_the_correction_of_all_classes_is_the_most_probable_one():
    """Against a general optimiser; the shift and the slope have normal priors."""
    probability, y = population(2000)
    told = expit(2.0 * logit(probability) - 1.0)
    sample = sample_of(told, Log(np.arange(1900), y[:1900], np.ones(1900, dtype=bool)))
    x = logit(np.clip(told[:1900], 1e-6, 1 - 1e-6))

    def loss(found):
        z = found[0] + found[1] * x
        misfit = (np.logaddexp(0.0, z) - y[:1900] * z).sum()
        return misfit + (found[0] ** 2 + (found[1] - 1.0) ** 2) / (2 * SPREAD**2)

    found = fitted(sample)
    assert found == pytest.approx(minimize(loss, [0.0, 1.0], tol=1e-10).x, abs=1e-4)
    assert found == pytest.approx([0.5, 0.5], abs=0.2)
    assert recalibrated(told, found) == pytest.approx(probability, abs=0.1)


@pytest.mark.parametrize("slope", [-3.0, 0.0, 1.0, 8.0])
def test_the_correction_is_found_from_far_away(slope):
    rng = np.random.default_rng(1)
    x = rng.normal(0.0, 2.0, (500, 3))
    y = rng.random(x.shape) < expit(0.5 + slope * x)
    sample = sample_of(expit(x), Log(np.arange(499), y[:499], np.ones(499, dtype=bool)))
    assert fitted(sample) == pytest.approx([0.5, slope], abs=0.25 + 0.2 * abs(slope))


@pytest.mark.slow
def test_intervals_cover_and_are_narrower_than_those_of_the_plain_audit():
    probability, y = population()
    covered, width = coverage(probability, y, 200)
    assert covered.mean() >= 0.95
    assert covered.min() >= 0.90
    assert (width / wilson_width(y, 200)).mean() <= 0.8


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["labels", "shuffled", "inverted", "constant", "random", "too low"]
)
def test_intervals_cover_whatever_the_predictions_are(kind):
    probability, y = population()
    rng = np.random.default_rng(3)
    predictions = {
        "labels": (probability > 0.5).astype(float),
        "shuffled": rng.permutation(probability),
        "inverted": 1.0 - probability,
        "constant": np.full(probability.shape, 0.5),
        "random": rng.random(probability.shape),
        "too low": expit(3.0 * logit(probability) - 4.0),
    }[kind]
    covered, width = coverage(predictions, y, 200)
    assert covered.mean() >= 0.93
    assert covered[:4].min() >= 0.88
    assert width[:4].mean() <= 1.25 * wilson_width(y, 200)[:4].mean()


@pytest.mark.slow
def test_intervals_cover_while_people_decide_in_the_order_of_a_ranking():
    probability, y = population(800)
    truth = y.mean(axis=0)
    order = np.argsort(-np.minimum(probability, 1 - probability).sum(axis=1), kind="stable")
    covered = []
    for seed in range(60):
        sample, entries, ranked = AuditSample(800, seed), [], list(order[::-1])
        done = set()
        while len(entries) < 300:
            is_audit = len(entries) % 2 == 0
            if is_audit:
                document = sample.draw(done)
            else:
                document = next(i for i in iter(ranked.pop, None) if i not in done)
            done.add(int(document))
            entries.append((int(document), is_audit))
        found = shares_of_log(probability, log_of(y, entries))
        covered.append((found.low <= truth) & (truth <= found.high))
    assert np.mean(covered) >= 0.94
    assert np.mean(covered, axis=0).min() >= 0.85


def test_a_class_that_the_audit_contradicts_is_not_drawn_to_the_predictions():
    """The classifier never predicts a class that a tenth of the documents have."""
    rng = np.random.default_rng(4)
    y = rng.random((2000, 6)) < 0.1
    probability = np.where(y, 0.9, 0.02)
    probability[:, 0] = 0.001
    truth = y.mean(axis=0)
    found = [audited(probability, y, 300, seed) for seed in range(40)]
    assert np.mean([one.low[0] <= truth[0] <= one.high[0] for one in found]) >= 0.9
    assert np.mean([one.share[0] for one in found]) == pytest.approx(truth[0], abs=0.01)


def test_an_interval_has_a_width_where_the_audit_found_no_error():
    y = np.zeros((500, 3), dtype=bool)
    y[:100, 0] = True
    rows = np.random.default_rng(0).permutation(500)[:100]
    found = satc.shares(y, rows, y[rows])
    assert ((found.high - found.low) > 1 / 500).all()
    assert (found.high > found.share).all()


def test_without_audited_documents_there_is_an_estimate_and_no_interval():
    probability, y = population(100)
    found = satc.shares(probability, [], None, known=[3, 5], y_known=y[[3, 5]])
    rest = np.delete(probability, [3, 5], axis=0).sum(axis=0)
    assert found.share == pytest.approx((rest + y[[3, 5]].sum(axis=0)) / 100)
    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()


def test_groups_are_estimated_from_their_own_documents():
    probability, y = population(900)
    groups = ["a"] * 400 + ["b"] * 450 + ["rare"] * 50
    rows = np.random.default_rng(2).permutation(850)[:250]
    found = satc.shares(probability, rows, y[rows], groups=groups)
    assert list(found.groups) == ["a", "b", "rare"]
    assert [part.n_documents for part in found.groups.values()] == [400, 450, 50]
    assert sum(part.n_audited for part in found.groups.values()) == 250
    assert np.isnan(found.groups["rare"].low).all()
    assert found.groups["rare"].share == pytest.approx(probability[850:].mean(axis=0), abs=0.02)
    for name, members in (("a", slice(0, 400)), ("b", slice(400, 850))):
        part, truth = found.groups[name], y[members].mean(axis=0)
        assert np.mean((part.low <= truth) & (truth <= part.high)) >= 7 / 8
        assert (part.high - part.low).mean() > (found.high - found.low).mean()


def test_one_group_of_all_documents_has_the_shares_of_the_whole_set():
    probability, y = population(300)
    found = audited(probability, y, 80, 0, groups=[2024] * 300)
    part = found.groups[2024]
    assert part.share.tolist() == found.share.tolist()
    assert part.high.tolist() == found.high.tolist()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_bounds_are_in_order_and_agree_with_what_is_known(data):
    n = data.draw(st.integers(2, 40), label="documents")
    m = data.draw(st.integers(1, 3), label="classes")
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), label="seed"))
    y = rng.random((n, m)) < rng.random(m)
    predictions = rng.random((n, m)) if data.draw(st.booleans()) else rng.random((n, m)) < 0.5
    length = data.draw(st.integers(0, n), label="decided")
    marks = data.draw(st.lists(st.booleans(), min_size=length, max_size=length))
    entries = list(zip(rng.permutation(n)[:length].tolist(), marks, strict=True))
    level = data.draw(st.floats(0.5, 0.99))
    found = shares_of_log(predictions, log_of(y, entries), level=level)
    known = found.validated / n
    assert (found.share >= known - 1e-12).all()
    assert (found.share <= known + (n - length) / n + 1e-12).all()
    if length == n:
        assert found.low.tolist() == found.high.tolist() == y.mean(axis=0).tolist()
    elif any(marks):
        assert (known - 1e-12 <= found.low).all()
        assert (found.low <= found.share).all()
        assert (found.share <= found.high).all()
        assert (found.high <= known + (n - length) / n + 1e-12).all()
        assert (found.low < found.high).all()
        wider = shares_of_log(predictions, log_of(y, entries), level=(1 + level) / 2)
        assert ((wider.high - wider.low) >= (found.high - found.low) - 1e-12)[
            wider.share == found.share
        ].all()
    else:
        assert np.isnan(found.low).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"predictions": [[0.5], [1.5], [0.1]]}, r"predictions must be from 0 to 1"),
        ({"audited": [0, 3]}, "audited must hold rows from 0 to 2, but holds 3"),
        ({"audited": [0.5, 1.0]}, "audited must be a list of rows"),
        ({"audited": [1, 1]}, "every document once at most, but document 1 is there twice"),
        ({"y_audited": [[1]]}, "y_audited must have one row for each of 2 audited documents"),
        ({"y_audited": [[1, 0], [0, 1]]}, "y_audited must have as many classes"),
        ({"y_audited": None}, "y_audited must hold the labels of the 2 audited documents"),
        ({"known": [2]}, "y_known must hold the labels of the 1 known documents"),
        ({"level": 95}, "level must be between 0 and 1, such as 0.95, but is 95"),
        ({"groups": ["a"]}, "groups must have 3 values, one per document, but has 1"),
    ],
)
def test_wrong_arguments_are_named(changes, message):
    given = {"predictions": [[0.5], [0.5], [0.1]], "audited": [0, 1], "y_audited": [[1], [0]]}
    with pytest.raises(ValueError, match=message):
        satc.shares(**given | changes)
