import numpy as np
import pytest
from scipy.special import softmax

from made import make
from satc.calibration.cold.calibrator import (
    FIRST,
    FIRST_SIMILAR,
    ColdStartCalibrator,
    due,
)
from satc.calibration.cold.combination import combination_weights
from satc.calibration.cold.prior import ERRORS_PER_LABEL, is_graded, prior_line
from satc.calibration.evidence import Evidence
from satc.training import Training


def expected_errors(probability, decided):
    return np.where(decided, 1 - probability, probability).sum()


@pytest.mark.parametrize("unit", [0.01, 1.0, 300.0])
def test_the_prior_expects_the_same_errors_whatever_the_unit_of_the_scores(unit):
    scores = make(n=500).scores * unit
    line = prior_line(scores, "multi-label")
    decided = scores >= 0
    found = expected_errors(line.probabilities(scores, "multi-label"), decided) / decided.sum()
    assert found == pytest.approx(ERRORS_PER_LABEL, rel=1e-3)
    assert line.slope == pytest.approx(prior_line(scores / unit, "multi-label").slope / unit)
    np.testing.assert_array_equal(line.probabilities(scores, "multi-label") >= 0.5, decided)


def test_labels_alone_expect_as_many_labels_as_were_predicted():
    decided = make(n=400).scores >= 0
    scores = np.where(decided, 1.0, -1.0)
    probability = prior_line(scores, "multi-label").probabilities(scores, "multi-label")
    assert probability.sum() == pytest.approx(decided.sum(), rel=1e-3)
    n = decided.sum()
    wrong, missing = (1 - probability)[decided].sum(), probability[~decided].sum()
    assert wrong == pytest.approx(ERRORS_PER_LABEL / 2 * n, rel=1e-3)
    assert missing == pytest.approx(ERRORS_PER_LABEL / 2 * n, rel=1e-3)


def test_where_every_document_has_one_label_the_prior_is_a_softmax():
    scores = make(n=300).scores
    line = prior_line(scores, "single-label")
    probability = line.probabilities(scores, "single-label")
    np.testing.assert_allclose(probability, softmax(line.slope * scores, axis=1))
    assert 1 - probability.max(axis=1).mean() == pytest.approx(ERRORS_PER_LABEL / 2, rel=1e-3)


@pytest.mark.parametrize("scores", [np.full((20, 3), -1.0), np.full((20, 3), 2.0)])
@pytest.mark.parametrize("task", ["multi-label", "single-label"])
def test_predictions_that_say_nothing_still_have_a_prior(scores, task):
    probability = ColdStartCalibrator(task).fit(scores).probabilities(scores)
    assert np.isfinite(probability).all()
    assert ((probability > 0) & (probability < 1)).all()


def test_graded_scores_have_more_than_a_few_values():
    assert is_graded(make(n=100).scores)
    assert not is_graded(np.log(np.array([0.5, 1.5, 2.5, 3.5]))[np.arange(300).reshape(100, 3) % 4])


def test_an_opinion_that_is_right_gets_the_weight_and_one_that_is_random_does_not():
    rng = np.random.default_rng(0)
    labels = rng.random((200, 4)) < 0.3
    right = np.where(labels, 1.0, -1.0) + rng.normal(0, 0.3, labels.shape)
    noise = rng.normal(0, 1, labels.shape)
    assert combination_weights([noise, right], labels)[1] > 0.8
    assert combination_weights([right, noise], labels)[0] > 0.8
    few = combination_weights([right[:1], noise[:1]], labels[:1])
    assert 0.3 < few[0] < 0.8
    assert few.sum() == pytest.approx(1.0)


def test_probabilities_are_the_prior_until_there_are_enough_decisions():
    made = make(n=200)
    prior = ColdStartCalibrator().fit(made.scores)
    few = ColdStartCalibrator().fit(
        made.scores, None, np.arange(FIRST - 1), made.y_true[: FIRST - 1]
    )
    np.testing.assert_array_equal(few.probabilities(made.scores), prior.probabilities(made.scores))
    assert few.standing_.prior_share == 1.0
    assert "prior" in str(few.standing_)


def test_decisions_make_probabilities_better_and_the_prior_lighter():
    made = make(n=600, seed=3)
    rest = slice(300, None)

    def log_loss(n):
        calibrator = ColdStartCalibrator().fit(made.scores, None, np.arange(n), made.y_true[:n])
        p = calibrator.probabilities(made.scores)[rest]
        truth = made.y_true[rest]
        return -np.log(np.where(truth, p, 1 - p)).mean(), calibrator.standing_

    losses, standings = zip(*(log_loss(n) for n in (0, 20, 300)), strict=True)
    assert losses[2] < losses[1] < losses[0]
    assert standings[0].prior_share > standings[1].prior_share > standings[2].prior_share > 0
    assert standings[2].n_decisions == 300
    assert "learnt from 300 decisions" in str(standings[2])


def test_decisions_without_any_label_teach_nothing():
    made = make(n=100)
    none = np.zeros((30, 5), dtype=bool)
    calibrator = ColdStartCalibrator().fit(made.scores, None, np.arange(30), none)
    assert calibrator.standing_.n_decisions == 0


def test_features_count_from_enough_decisions_on():
    made = make(n=300)
    features = np.random.default_rng(0).random((300, 6)).astype(np.float32)
    for n in (FIRST_SIMILAR - 1, FIRST_SIMILAR):
        calibrator = ColdStartCalibrator().fit(
            made.scores, Evidence(features), np.arange(n), made.y_true[:n]
        )
        assert calibrator.uses_similar_ == (n == FIRST_SIMILAR)
        p = calibrator.probabilities(made.scores, Evidence(features))
        assert p.shape == made.scores.shape


def test_an_opinion_moves_labels_and_scores_and_is_asked_for_again():
    made = make(n=200)
    opinion = np.random.default_rng(0).normal(0, 1, made.scores.shape)
    told = Evidence(None, {"other": opinion})
    for scores in (made.scores, np.where(made.scores >= 0, 1.0, -1.0)):
        calibrator = ColdStartCalibrator().fit(scores, told)
        among = calibrator.probabilities(scores, told)[scores < 0]
        assert np.corrcoef(among, opinion[scores < 0])[0, 1] > 0.5
        with pytest.raises(ValueError, match="the opinion 'other' that fit had"):
            calibrator.probabilities(scores)


def test_a_document_without_an_opinion_keeps_its_place():
    made = make(n=200)
    opinion = np.random.default_rng(0).normal(0, 1, made.scores.shape)
    opinion[:50] = np.nan
    told = Evidence(None, {"other": opinion})
    p = ColdStartCalibrator().fit(made.scores, told).probabilities(made.scores, told)
    assert np.isfinite(p).all()
    order = np.argsort(made.scores[:50, 0])
    assert (np.diff(p[:50, 0][order]) >= 0).all()


def test_three_opinions_share_the_weight():
    rng = np.random.default_rng(0)
    labels = rng.random((200, 4)) < 0.3
    right = np.where(labels, 1.0, -1.0) + rng.normal(0, 0.3, labels.shape)
    noise = [rng.normal(0, 1, labels.shape) for _ in range(2)]
    weights = combination_weights([noise[0], right, noise[1]], labels)
    assert weights[1] > 0.8
    assert (weights >= 0.05 - 1e-12).all()
    assert weights.sum() == pytest.approx(1.0)


def test_the_context_of_a_pair_ends_at_its_probability():
    made = make(n=200)
    for n in (0, 100):
        calibrator = ColdStartCalibrator().fit(made.scores, None, np.arange(n), made.y_true[:n])
        p = calibrator.probabilities(made.scores)
        found = calibrator.context(made.scores, 150)
        np.testing.assert_allclose([one.after for one in found], p[150])


def test_probabilities_of_documents_with_one_label_sum_to_1():
    rng = np.random.default_rng(0)
    labels = np.eye(4, dtype=bool)[rng.integers(0, 4, 300)]
    scores = labels + rng.normal(0, 0.5, labels.shape)
    for n in (0, 15, 200):
        calibrator = ColdStartCalibrator("single-label").fit(scores, None, np.arange(n), labels[:n])
        np.testing.assert_allclose(calibrator.probabilities(scores).sum(axis=1), 1.0, atol=1e-4)


def test_estimates_are_due_at_each_doubling():
    assert [due(n) for n in (0, 9, 10, 39, 40, 159, 160)] == [0, 0, 10, 20, 40, 80, 160]


def test_a_class_that_is_never_predicted_does_not_make_scores_ungraded():
    scores = np.random.default_rng(0).normal(size=(70_000, 10))
    scores[:, 0] = -1.0
    assert is_graded(scores)
    assert is_graded(scores[:, ::-1])


@pytest.mark.parametrize("extreme", [1e5, -1e6, -9999.0])
def test_a_few_extreme_scores_do_not_change_the_prior(extreme):
    scores = make(n=2000, m=8).scores
    line = prior_line(scores, "multi-label")
    scores[:5, 0] = extreme
    assert prior_line(scores, "multi-label").slope == pytest.approx(line.slope, rel=0.05)


def test_a_few_known_documents_count_as_decisions():
    made = make(n=200, n_train=30)
    training = Training(made.oof_scores, made.y_train)
    cold = ColdStartCalibrator().fit(made.scores, training=training)
    assert cold.standing_.n_decisions == 30
    everything = np.concatenate([made.scores, made.oof_scores])
    decided = np.arange(200, 230)
    same = ColdStartCalibrator().fit(everything, None, decided, made.y_train)
    both = ColdStartCalibrator().fit(made.scores, None, np.arange(20), made.y_true[:20], training)
    assert same.standing_ == cold.standing_
    assert both.standing_.n_decisions == 50


def test_features_of_known_documents_are_used_together_with_the_others():
    made = make(n=200, n_train=40)
    rng = np.random.default_rng(0)
    features = rng.random((200, 4)).astype(np.float32)
    training = Training(made.oof_scores, made.y_train, rng.random((40, 4)))
    calibrator = ColdStartCalibrator().fit(
        made.scores, Evidence(features), np.arange(40), made.y_true[:40], training
    )
    assert calibrator.uses_similar_
    assert calibrator.probabilities(made.scores, Evidence(features)).shape == (200, 5)
