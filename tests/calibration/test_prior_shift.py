"""Class frequencies of documents are found from their probabilities, which are then corrected."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from satc.calibration.prior_shift.calibrator import shifted_probabilities
from satc.calibration.prior_shift.labels import shifted_shares, with_shares
from satc.calibration.prior_shift.one_label import shifted_class_shares, with_class_shares

MADE = settings(max_examples=8)
PROBABILITIES = arrays(float, (30, 3), elements=st.floats(0.01, 0.99))
SHARES = arrays(float, 3, elements=st.floats(0.02, 0.9))


def plain_em(probability, share, pseudo_positives, steps=20_000):
    """The EM algorithm for one binary class, as Saerens et al. write it, with pseudo-counts."""
    q = share
    for _ in range(steps):
        found = [
            p * q / share / (p * q / share + (1 - p) * (1 - q) / (1 - share)) for p in probability
        ]
        previous = q
        q = (sum(found) + pseudo_positives) / (len(found) + pseudo_positives / share)
        if abs(q - previous) < 1e-14:
            break
    return q


def drawn(n, share, rng, *, believed):
    """Labels with a share of positives, and probabilities that hold for another share."""
    y = rng.random(n) < share
    evidence = rng.normal(np.where(y, 1.0, -1.0), 1.0)  # its log-odds are 2 x evidence
    return y, 1 / (1 + np.exp(-(2 * evidence + np.log(believed / (1 - believed)))))


@pytest.mark.parametrize("pseudo_positives", [1.0, 10.0])
@MADE
@given(probability=PROBABILITIES, share=SHARES)
def test_the_share_is_the_limit_of_the_em_algorithm(probability, share, pseudo_positives):
    found = shifted_shares(probability, share, pseudo_positives)
    for j in range(3):
        slow = plain_em(probability[:, j].tolist(), share[j], pseudo_positives)
        assert found[j] == pytest.approx(slow, abs=1e-7)


def test_two_classes_of_which_one_is_right_are_one_binary_class():
    rng = np.random.default_rng(0)
    _, p = drawn(500, 0.1, rng, believed=0.3)
    alone = shifted_shares(p[:, np.newaxis], np.array([0.3]))[0]
    both = shifted_class_shares(np.c_[1 - p, p], np.array([0.7, 0.3]), tolerance=1e-13)
    assert both == pytest.approx([1 - alone, alone], abs=1e-9)


def test_a_shifted_share_is_found():
    rng = np.random.default_rng(1)
    y, p = drawn(20_000, 0.05, rng, believed=0.3)
    found = shifted_shares(p[:, np.newaxis], np.array([0.3]))
    assert found[0] == pytest.approx(y.mean(), abs=0.005)
    corrected = with_shares(p[:, np.newaxis], np.array([0.3]), found)
    assert corrected.mean() == pytest.approx(found[0], abs=1e-9)


@pytest.mark.parametrize("pseudo_positives", [0.0, 10.0])
def test_documents_as_in_training_change_nothing(pseudo_positives):
    rng = np.random.default_rng(2)
    probability = rng.random((50, 4))
    share = probability.mean(axis=0)
    assert shifted_shares(probability, share, pseudo_positives) == pytest.approx(share)
    probability /= probability.sum(axis=1, keepdims=True)
    share = probability.mean(axis=0)
    assert shifted_class_shares(probability, share, pseudo_positives) == pytest.approx(share)
    assert with_class_shares(probability, share, share) == pytest.approx(probability)


@MADE
@given(probability=PROBABILITIES, share=SHARES)
def test_more_pseudo_positives_keep_the_share_nearer_to_that_of_training(probability, share):
    distances = [
        np.abs(np.log(shifted_shares(probability, share, k) / share)) for k in (0.5, 5.0, 50.0)
    ]
    assert (distances[1] <= distances[0] + 1e-9).all()
    assert (distances[2] <= distances[1] + 1e-9).all()


@MADE
@given(probability=PROBABILITIES, share=SHARES, pseudo_positives=st.floats(0.1, 100.0))
def test_shares_of_exactly_one_label_sum_to_one(probability, share, pseudo_positives):
    probability = probability / probability.sum(axis=1, keepdims=True)
    share = share / share.sum()
    found = shifted_class_shares(probability, share, pseudo_positives)
    assert found.sum() == pytest.approx(1.0)
    assert (found > 0).all()
    assert with_class_shares(probability, share, found).sum(axis=1) == pytest.approx(1.0)


def test_a_rare_class_is_damped_more_than_a_frequent_one():
    rng = np.random.default_rng(3)
    _, rare = drawn(2000, 0.02, rng, believed=0.01)
    _, frequent = drawn(2000, 0.4, rng, believed=0.2)
    probability, share = np.c_[rare, frequent], np.array([0.01, 0.2])
    free, damped = shifted_shares(probability, share), shifted_shares(probability, share, 20.0)
    kept = np.log(damped / share) / np.log(free / share)
    assert kept[0] < 0.75
    assert kept[1] > 0.9


def test_classes_without_training_documents_keep_their_probabilities():
    rng = np.random.default_rng(4)
    probability = rng.uniform(0.01, 0.99, (40, 3))
    share = np.array([0.0, 1.0, 0.3])
    found = shifted_shares(probability, share, 1.0)
    assert found[:2].tolist() == [0.0, 1.0]
    assert with_shares(probability, share, found)[:, :2] == pytest.approx(probability[:, :2])
    probability /= probability.sum(axis=1, keepdims=True)
    share = np.array([0.0, 0.6, 0.4])
    found = shifted_class_shares(probability, share, 1.0)
    assert found[0] == 0.0
    assert (with_class_shares(probability, share, found)[:, 0] > 0).all()


def test_corrected_probabilities_are_more_likely_where_classes_have_shifted():
    rng = np.random.default_rng(5)
    y, p = drawn(3000, 0.5, rng, believed=0.1)
    y_train = rng.random((1000, 1)) < 0.1
    after = shifted_probabilities(p[:, np.newaxis], y_train)[:, 0]

    def loss(q):
        return -np.where(y, np.log(q), np.log1p(-q)).mean()

    assert loss(after) < loss(p) - 0.1
