import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from satc.calibration.contextual.calibrator import MIN_DOCUMENTS, ContextualCalibrator
from satc.calibration.contextual.description import SCORE_NAMES, SIMILAR_NAMES
from satc.calibration.logistic import membership_probabilities
from satc.calibration.platt import expit
from satc.calibration.sigma import calibrate_sigma


def topical(n, m=8, seed=0):
    """One label per document, features that reveal it, and scores of a weak classifier."""
    rng = np.random.default_rng(seed)
    prior = 1 / np.arange(1, m + 1)
    topic = rng.choice(m, n, p=prior / prior.sum())
    labels = topic[:, np.newaxis] == np.arange(m)
    scores = labels * 1.2 - 0.9 + rng.normal(0, 0.5, (n, m))
    centres = np.random.default_rng(99).random((m, 20)) < 0.3
    features = (centres[topic] + rng.normal(0, 0.3, (n, 20))).clip(0)
    return scores, labels, features


def log_loss(probability, labels):
    return -np.log(np.where(labels, probability, 1 - probability).clip(1e-12)).mean()


@pytest.fixture(scope="module")
def train():
    return topical(2_000)


@pytest.fixture(scope="module")
def test():
    return topical(1_000, seed=1)


@pytest.fixture(scope="module")
def by_scores(train):
    return ContextualCalibrator().fit(train[0], train[1])


@pytest.fixture(scope="module")
def by_features(train):
    return ContextualCalibrator().fit(*train)


def test_context_improves_on_sigma_and_neighbours_on_scores(train, test, by_scores, by_features):
    scores, labels, features = test
    sigma = calibrate_sigma(train[0], train[1])
    of_sigma = log_loss(membership_probabilities(scores, sigma), labels)
    of_platt = log_loss(expit(by_scores.pool_.platt.logits(scores)), labels)
    of_scores = log_loss(by_scores.probabilities(scores), labels)
    of_features = log_loss(by_features.probabilities(scores, features), labels)
    assert of_scores < 0.97 * min(of_sigma, of_platt)
    assert of_features < 0.8 * of_scores


def test_probabilities_lie_strictly_between_0_and_1(test, by_scores):
    far = test[0] * 1e6
    for probability in (by_scores.probabilities(test[0]), by_scores.probabilities(far)):
        assert probability.dtype == np.float64
        assert (probability > 0).all()
        assert (probability < 1).all()


def test_expected_positives_agree_with_the_true_ones(test, by_scores, by_features):
    scores, labels, features = test
    for probability in (
        by_scores.probabilities(scores),
        by_features.probabilities(scores, features),
    ):
        assert probability.sum() == pytest.approx(labels.sum(), rel=0.1)


def test_the_order_of_the_documents_does_not_matter(test, by_features):
    scores, _, features = test
    order = np.random.default_rng(0).permutation(len(scores))
    probability = by_features.probabilities(scores, features)
    shuffled = by_features.probabilities(scores[order], features[order])
    np.testing.assert_allclose(shuffled, probability[order], atol=1e-6)


def test_blocks_do_not_show(test, by_features, monkeypatch):
    scores, _, features = test
    whole = by_features.probabilities(scores, features)
    monkeypatch.setattr("satc.calibration.contextual.calibrator._BLOCK_PAIRS", 100)
    np.testing.assert_allclose(by_features.probabilities(scores, features), whole, atol=1e-6)


def test_the_same_seed_gives_the_same_probabilities(train, test, by_scores):
    again = ContextualCalibrator().fit(train[0], train[1])
    np.testing.assert_array_equal(again.probabilities(test[0]), by_scores.probabilities(test[0]))


def test_sparse_and_dense_features_agree(train, test, by_features):
    scores, labels, features = train
    other = ContextualCalibrator().fit(scores, labels, sparse.csr_array(features))
    mine = by_features.probabilities(test[0], test[2])
    its = other.probabilities(test[0], sparse.csr_array(test[2]))
    assert np.abs(mine - its).mean() < 1e-3


def test_float32_scores_give_nearly_the_same(train, test, by_scores):
    single = ContextualCalibrator().fit(train[0].astype(np.float32), train[1])
    probability = single.probabilities(test[0].astype(np.float32))
    assert np.abs(probability - by_scores.probabilities(test[0])).mean() < 0.01


def test_a_single_class_is_enough():
    scores, labels, features = topical(300)
    calibrator = ContextualCalibrator().fit(scores[:, 0], labels[:, 0], features)
    probability = calibrator.probabilities(scores[:, 0], features)
    assert probability.shape == (300, 1)
    assert log_loss(probability, labels[:, :1]) < 0.6


def test_a_class_without_positives_stays_improbable(train, test):
    labels = train[1].copy()
    labels[:, 5] = False
    probability = ContextualCalibrator().fit(train[0] - 0.5, labels).probabilities(test[0] - 0.5)
    assert probability[:, 5].mean() < 0.03


def test_scores_that_separate_perfectly_are_no_trouble():
    labels = np.random.default_rng(0).random((100, 3)) < 0.3
    scores = np.where(labels, 1.0, -1.0)
    calibrator = ContextualCalibrator().fit(scores, labels)
    assert ((calibrator.probabilities(scores) > 0.5) == labels).all()


def test_five_thousand_classes_are_thinned():
    rng = np.random.default_rng(0)
    labels = rng.random((120, 5_000)) < 0.002
    scores = labels * 1.0 - 0.8 + rng.normal(0, 0.4, labels.shape)
    calibrator = ContextualCalibrator(max_pairs=20_000).fit(scores[:60], labels[:60])
    probability = calibrator.probabilities(scores[60:])
    assert probability.sum() == pytest.approx(labels[60:].sum(), rel=0.5)
    assert log_loss(probability, labels[60:]) < log_loss(
        np.full(scores[60:].shape, 0.002), labels[60:]
    )


def peak_memory(function):
    tracemalloc.start()
    result = function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return result, peak


@pytest.mark.slow
def test_no_second_array_of_documents_and_classes_is_held():
    rng = np.random.default_rng(0)
    labels = rng.random((60_000, 200)) < 0.005
    scores = rng.normal(-1.0, 0.3, labels.shape) + labels
    small = ContextualCalibrator(max_pairs=50_000)
    calibrator, fitting = peak_memory(lambda: small.fit(scores, labels))
    _, scoring = peak_memory(lambda: calibrator.probabilities(scores))
    assert fitting < 0.35 * scores.nbytes
    assert scoring < 1.3 * scores.nbytes  # the result, and blocks


@pytest.mark.slow
def test_neither_are_votes_for_all_documents_and_classes():
    rng = np.random.default_rng(0)
    labels = rng.random((6_000, 1_000)) < 0.001
    scores = rng.normal(-1.0, 0.3, labels.shape) + labels
    features = sparse.random_array((6_000, 500), density=0.01, rng=rng, format="csr")
    calibrator = ContextualCalibrator(max_pairs=20_000)
    _, fitting = peak_memory(lambda: calibrator.fit(scores, labels, features))
    _, scoring = peak_memory(lambda: calibrator.probabilities(scores, features))
    assert fitting < 0.9 * scores.nbytes
    assert scoring < 1.8 * scores.nbytes


def test_more_positives_than_there_is_room_for_are_thinned_too():
    rng = np.random.default_rng(0)
    labels = rng.random((3_000, 10)) < 0.5
    scores = labels - 0.5 + rng.normal(0, 1.0, labels.shape)
    calibrator = ContextualCalibrator(max_pairs=4_000).fit(scores[:2_000], labels[:2_000])
    probability = calibrator.probabilities(scores[2_000:])
    assert probability.sum() == pytest.approx(labels[2_000:].sum(), rel=0.05)


def test_the_context_says_what_the_model_saw(test, by_scores, by_features):
    scores, _, features = test
    contexts = by_features.context(scores, 7, features)
    probability = by_features.probabilities(scores, features)[7]
    np.testing.assert_allclose([c.after for c in contexts], probability, atol=1e-6)
    assert [c.class_index for c in contexts] == list(range(8))
    assert set(contexts[0].values) == {*SCORE_NAMES, *SIMILAR_NAMES}
    assert set(by_scores.context(scores, 0)[0].values) == set(SCORE_NAMES)
    ranks = [c.values["rank"] for c in contexts]
    assert sorted(ranks) == list(range(8))
    best = contexts[int(np.argmin(ranks))]
    assert best.before == max(c.before for c in contexts)
    assert best.values["gap to best other logit"] >= 0
    assert by_scores.context(scores, -1) == by_scores.context(scores, len(scores) - 1)


def test_too_little_training_is_an_error():
    scores, labels, _ = topical(MIN_DOCUMENTS - 1)
    with pytest.raises(ValueError, match="y_train must hold at least 50 documents"):
        ContextualCalibrator().fit(scores, labels)
    scores = np.zeros((60, 2))
    with pytest.raises(ValueError, match="but holds only negative ones"):
        ContextualCalibrator().fit(scores, scores > 0)
    with pytest.raises(ValueError, match="but holds only positive ones"):
        ContextualCalibrator().fit(scores, scores == 0)


def test_features_go_with_train_features(test, by_scores, by_features):
    scores, _, features = test
    with pytest.raises(ValueError, match="train_features were not given"):
        by_scores.probabilities(scores, features)
    with pytest.raises(ValueError, match="train_features were given"):
        by_features.probabilities(scores)
    with pytest.raises(ValueError, match="features must have as many rows as scores"):
        by_features.probabilities(scores, features[:5])
    with pytest.raises(ValueError, match="as many classes"):
        by_scores.probabilities(scores[:, :3])
