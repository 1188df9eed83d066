"""Our estimates of class frequencies agree with EMQ of QuaPy."""

import json

import numpy as np
import pytest
from emq_figures import (
    N_SHOWN,
    SEEDS,
    STEPS,
    STORED,
    TOLERANCES,
    any_labels,
    emq_of_any_labels,
    emq_of_one_label,
    one_label,
)

from needs import absent
from satc.calibration.prior_shift.labels import shifted_shares, with_shares
from satc.calibration.prior_shift.one_label import shifted_class_shares, with_class_shares

EMQ = json.loads(STORED.read_text())
AGREE = 1e-6


@pytest.fixture(scope="module")
def quapy():
    try:
        import quapy
    except ImportError:
        absent("needs QuaPy: pip install --no-deps QuaPy")
    return quapy


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_exactly_one_label_agrees_with_emq_at_any_tolerance(seed, tolerance):
    theirs = EMQ[f"one label, {seed}, {tolerance:g}"]
    probability, share = one_label(seed)
    ours = shifted_class_shares(probability, share, tolerance=tolerance, max_steps=STEPS)
    assert ours == pytest.approx(theirs["shares"], abs=AGREE)


@pytest.mark.parametrize("seed", SEEDS)
def test_probabilities_of_exactly_one_label_agree_with_emq(seed):
    theirs = EMQ[f"one label, {seed}, {TOLERANCES[-1]:g}"]
    probability, share = one_label(seed)
    ours = shifted_class_shares(probability, share, tolerance=TOLERANCES[-1], max_steps=STEPS)
    corrected = with_class_shares(probability, share, ours)
    assert corrected[:N_SHOWN] == pytest.approx(np.array(theirs["corrected"]), abs=AGREE)


def shares_before_the_last_step(probability, share, tolerance):
    """Return the shares of the step before the one at which the algorithm stops."""
    last = shifted_class_shares(probability, share, tolerance=tolerance, max_steps=STEPS)
    before = share
    for n in range(1, STEPS):
        found = shifted_class_shares(probability, share, tolerance=0.0, max_steps=n)
        if np.array_equal(found, last):
            return before
        before = found
    raise AssertionError("the algorithm did not stop")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tolerance", TOLERANCES[:2])
def test_emq_returns_the_probabilities_of_the_shares_before_its_last_step(seed, tolerance):
    """So ours, which are those of the last shares, differ from them by one step."""
    theirs = np.array(EMQ[f"one label, {seed}, {tolerance:g}"]["corrected"])
    probability, share = one_label(seed)
    before = shares_before_the_last_step(probability, share, tolerance)
    corrected = with_class_shares(probability, share, before)[:N_SHOWN]
    assert corrected == pytest.approx(theirs, abs=1e-12)
    last = shifted_class_shares(probability, share, tolerance=tolerance, max_steps=STEPS)
    ours = with_class_shares(probability, share, last)[:N_SHOWN]
    assert 0 < np.abs(ours - theirs).max() < 100 * tolerance


@pytest.mark.parametrize("seed", SEEDS)
def test_any_number_of_labels_agrees_with_emq_of_each_class(seed):
    theirs = EMQ[f"any labels, {seed}"]
    probability, share = any_labels(seed)
    ours = shifted_shares(probability, share)
    assert ours == pytest.approx(theirs["shares"], abs=AGREE)
    corrected = with_shares(probability, share, ours)
    assert corrected[:N_SHOWN] == pytest.approx(np.array(theirs["corrected"]), abs=AGREE)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_stored_figures_are_those_of_quapy(quapy, seed):
    found = {f"any labels, {seed}": emq_of_any_labels(seed)}
    found |= {f"one label, {seed}, {t:g}": emq_of_one_label(seed, t) for t in TOLERANCES}
    for name, one in found.items():
        assert one["shares"] == pytest.approx(EMQ[name]["shares"], abs=1e-9)
        stored = np.array(EMQ[name]["corrected"])
        assert np.array(one["corrected"]) == pytest.approx(stored, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_stored_frequencies_differ_from_those_in_training(seed):
    """Otherwise an estimate that does nothing would agree."""
    for (_, share), name in (
        (one_label(seed), f"one label, {seed}, {TOLERANCES[-1]:g}"),
        (any_labels(seed), f"any labels, {seed}"),
    ):
        assert np.abs(share - EMQ[name]["shares"]).max() > 0.05
