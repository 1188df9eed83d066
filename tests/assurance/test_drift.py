import numpy as np
import pytest

import satc
from made import make
from satc.assurance.live.drift import ALARM, drift_of
from satc.assurance.live.shifts import ShiftedSums
from satc.assurance.live.uncertainty import cross_fit
from satc.decisions import by_sign
from satc.training import Training


def calibrate(scores, features, oof, labels, train_features):
    return 1 / (1 + np.exp(-scores))


@pytest.fixture(scope="module")
def uncertainty():
    training = Training(*made(3000, 0))
    return cross_fit(calibrate, lambda scores, p: by_sign(scores), training, None, 0)


def made(n, seed, *, m=6, extra=0.0, odd_class=None):
    """Scores that are logits; the log-odds of errors are larger by `extra`."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(-1.5, 1.5, (n, m))
    moved = np.full(m, extra) if odd_class is None else extra * (np.arange(m) == odd_class)
    wrong = rng.random((n, m)) < 1 / (1 + np.exp(np.abs(logits) - moved))
    return logits, (logits >= 0) != wrong


def verdict(uncertainty, n=400, **options):
    scores, labels = made(n, **options)
    decided = scores >= 0
    probability = calibrate(scores, None, None, None, None)
    signed = np.where(decided, 1 - probability, -probability)
    risks = uncertainty.risks(signed)
    sums = ShiftedSums.of(signed, risks)
    sums.validate(signed, risks, decided != labels)
    return drift_of(sums.log_likelihood(), uncertainty)


def test_it_keeps_quiet_when_all_is_as_predicted(uncertainty):
    alarms = [not verdict(uncertainty, seed=seed).assumption.holds for seed in range(1, 61)]
    assert sum(alarms) <= 3


@pytest.mark.parametrize(("extra", "word"), [(1.2, "too many"), (-1.5, "too few")])
def test_it_says_whether_errors_are_too_many_or_too_few(uncertainty, extra, word):
    drift = verdict(uncertainty, seed=1, extra=extra)
    assert not drift.assumption.holds
    assert word in drift.assumption.message
    assert drift.assumption.evidence >= ALARM
    shift = drift.weights @ drift.shifts
    assert np.abs(shift[[0, -1]] - extra).max() < 0.6


def test_it_names_the_class_that_is_off(uncertainty):
    assumption = verdict(uncertainty, n=1500, seed=2, extra=3.0, odd_class=4).assumption
    assert assumption.classes == (4,)
    assert "4" in assumption.message


def test_nothing_validated_is_no_evidence(uncertainty):
    sums = ShiftedSums.of(np.zeros((0, 6)), np.zeros(0, dtype=np.int8))
    drift = drift_of(sums.log_likelihood(), uncertainty)
    assert drift.assumption.holds
    assert drift.weights is None


def learnt_from(n, seed):
    training = Training(*made(n, seed))
    return cross_fit(calibrate, lambda scores, p: by_sign(scores), training, None, 0)


def test_with_few_training_documents_only_large_drifts_are_noticed(uncertainty):
    few = learnt_from(150, 0)
    assert verdict(uncertainty, seed=2, extra=0.8).assumption.holds is False
    assert verdict(few, seed=2, extra=0.8).assumption.holds
    assert verdict(few, n=2000, seed=2, extra=2.9).assumption.holds is False


@pytest.mark.slow
def test_few_training_documents_cause_no_false_alarm():
    alarms = 0
    for seed in range(8):
        data = make(n=600, m=6, n_train=150, seed=seed)
        v = satc.Validation(data.scores, **data.training, method="contextual-dynamic")
        for _ in range(150):
            i = v.next()
            v.submit(i, data.y_true[i])
        alarms += not v.accuracy().assumption.holds
    assert alarms == 0
