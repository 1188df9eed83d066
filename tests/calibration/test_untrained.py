import numpy as np
import pytest

from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.calibration.evidence import Evidence
from satc.calibration.untrained.agreement import ClassAgreement, LabelAgreement
from satc.calibration.untrained.calibrator import WithUntrained
from satc.calibration.untrained.levels import Levels


def log_loss(probability, labels):
    return -np.log(np.where(labels, probability, 1.0 - probability)).sum() / len(labels)


def many_labels(n=6000, seed=0):
    """Calibrated probabilities of three classes, and labels that follow them."""
    rng = np.random.default_rng(seed)
    probability = np.clip(rng.beta(0.4, 2.0, (n, 3)), 1e-6, 1 - 1e-6)
    return probability, rng.random((n, 3)) < probability, rng


def one_label(n=6000, m=5, seed=0):
    rng = np.random.default_rng(seed)
    probability = rng.dirichlet(np.full(m, 0.3), n).clip(1e-6)
    probability /= probability.sum(axis=1, keepdims=True)
    truth = (probability.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    return probability, truth, rng


def exact(probability, opinion, sensitivity, false_positives):
    """P(label) by Bayes' rule, with the true rates of the opinion."""
    yes, no = (
        np.log(sensitivity / false_positives),
        np.log((1 - sensitivity) / (1 - false_positives)),
    )
    odds = np.log(probability / (1 - probability)) + np.where(opinion > 0, yes, no)
    return 1.0 / (1.0 + np.exp(-odds))


def test_the_rates_of_an_opinion_are_found_without_a_label():
    probability, labels, rng = many_labels()
    sensitivity, false_positives = np.array([0.9, 0.7, 0.5]), np.array([0.02, 0.1, 0.05])
    said = rng.random(labels.shape) < np.where(labels, sensitivity, false_positives)
    opinion = np.where(said, 1.0, -1.0)
    told = LabelAgreement().fit(probability, opinion)
    expected = np.log([(1 - sensitivity) / (1 - false_positives), sensitivity / false_positives])
    np.testing.assert_allclose(told.log_odds, expected, atol=0.4)
    heard = told.heard(probability, opinion)
    best = exact(probability, opinion, sensitivity, false_positives)
    assert log_loss(best, labels) < log_loss(heard, labels) + 0.01
    assert log_loss(heard, labels) < 1.01 * log_loss(best, labels)
    assert log_loss(heard, labels) < 0.7 * log_loss(probability, labels)


def test_labels_by_chance_are_worth_nothing():
    probability, labels, rng = many_labels()
    opinion = np.where(rng.random(labels.shape) < 0.2, 1.0, -1.0)
    told = LabelAgreement().fit(probability, opinion)
    assert not told.is_heard
    np.testing.assert_array_equal(told.heard(probability, opinion), probability)


def test_votes_count_by_their_share():
    probability, labels, rng = many_labels()
    votes = sum(np.where(labels ^ (rng.random(labels.shape) < 0.2), 1.0, -1.0) for _ in range(3))
    told = LabelAgreement().fit(probability, votes)
    assert told.log_odds.shape == (4, 3)
    assert (np.diff(told.log_odds, axis=0) > 0).all()


def test_scores_without_training_documents_are_heard_by_their_bins():
    probability, labels, rng = many_labels()
    opinion = np.where(labels, 1.0, -1.0) + rng.normal(size=labels.shape)
    told = LabelAgreement().fit(probability, opinion)
    assert log_loss(told.heard(probability, opinion), labels) < 0.7 * log_loss(probability, labels)


def test_where_every_document_has_one_label_the_accuracy_is_found_by_class():
    probability, truth, rng = one_label()
    right = np.array([0.95, 0.9, 0.8, 0.7, 0.6])
    wrong = rng.random(len(truth)) > right[truth]
    said = np.where(wrong, (truth + rng.integers(1, 5, len(truth))) % 5, truth)
    opinion = np.where(np.eye(5, dtype=bool)[said], 1.0, -1.0)
    told = ClassAgreement().fit(probability, opinion)
    np.testing.assert_allclose(told.right[0], right, atol=0.06)
    heard = told.heard(probability, opinion)
    np.testing.assert_allclose(heard.sum(axis=1), 1.0)
    hits = [(p.argmax(axis=1) == truth).mean() for p in (probability, opinion, heard)]
    assert hits[2] > max(hits[:2]) + 0.05


def test_one_label_by_chance_is_worth_nothing():
    probability, truth, rng = one_label()
    opinion = np.eye(5)[rng.integers(0, 5, len(truth))]
    told = ClassAgreement().fit(probability, opinion)
    assert not told.is_heard
    np.testing.assert_array_equal(told.heard(probability, opinion), probability)


@pytest.mark.parametrize("kind", [LabelAgreement, ClassAgreement])
def test_documents_without_an_opinion_do_not_change(kind):
    probability, truth, _ = one_label(300)
    opinion = np.eye(5)[truth]
    opinion[::3] = np.nan
    heard = kind().fit(probability, opinion).heard(probability, opinion)
    np.testing.assert_array_equal(heard[::3], probability[::3])
    assert np.isfinite(heard).all()


def test_few_values_are_levels_and_many_are_binned():
    assert Levels().fit(np.array([1.0, -1.0, 3.0])).n_levels == 3
    many = Levels().fit(np.arange(1000.0))
    assert many.n_levels == 10
    assert np.bincount(many.of(np.arange(1000.0))).max() <= 101


def test_a_calibrator_hears_labels_that_it_was_not_trained_with():
    rng = np.random.default_rng(2)
    labels = rng.random((900, 4)) < 0.3
    scores = 2.0 * labels - 1.0 + rng.normal(0, 1.5, labels.shape)
    llm = np.where(labels ^ (rng.random(labels.shape) < 0.15), 1.0, -1.0)
    train, new = slice(0, 300), slice(300, 900)
    calibrator = ContextualCalibrator().fit(scores[train], labels[train])
    evidence = Evidence(None, {"llm": llm[new]})
    both = WithUntrained(calibrator, ["llm"], "multi-label").fit(scores[new], evidence)
    p = both.probabilities(scores[new], evidence)
    without = calibrator.probabilities(scores[new])
    assert log_loss(p, labels[new]) < 0.8 * log_loss(without, labels[new])
    context = both.context(scores[new], 7, evidence)
    np.testing.assert_allclose([one.after for one in context], p[7])
    assert [one.opinions["llm"] for one in context] == llm[new][7].tolist()
