"""The option `prior_shift` of rankings, decisions, simulations, validations and estimates."""

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression

import satc
from made import make
from satc.calibration.prior_shift.calibrator import WithShiftedPriors, shifted_probabilities
from satc.calibration.remembered import RememberedCalibrator, make_ready
from satc.ranking.preparation import prepare


@pytest.fixture(scope="module")
def made():
    """Documents of which a class is much more frequent than in training."""
    found = make(300, 3, n_train=300, seed=4)
    rows = np.flatnonzero(found.y_true[:, 0] | (np.arange(300) % 3 == 0))
    return found._replace(scores=found.scores[rows], y_true=found.y_true[rows])


@pytest.fixture(scope="module")
def single():
    rng = np.random.default_rng(0)

    def part(n, share):
        labels = np.eye(3, dtype=bool)[rng.choice(3, n, p=share)]
        return labels - 0.5 + rng.normal(0, 0.7, labels.shape), labels

    oof, y_train = part(300, [0.2, 0.3, 0.5])
    scores, y_true = part(200, [0.6, 0.3, 0.1])
    return scores, y_true, {"oof_scores": oof, "y_train": y_train, "task": "single-label"}


def test_probabilities_are_those_of_the_calibrator_corrected(made):
    before = satc.rank(made.scores, **made.training)
    after = satc.rank(made.scores, **made.training, prior_shift=True)
    expected = shifted_probabilities(before.probability, made.y_train)
    assert after.probability == pytest.approx(expected, abs=1e-12)
    assert after.probability[:, 0].mean() > before.probability[:, 0].mean() + 0.02
    assert not np.array_equal(before.order, after.order)


def test_the_explanation_has_the_corrected_probability(made):
    ranking = satc.rank(made.scores, **made.training, prior_shift=True)
    for i in (0, 7):
        for one in ranking.explain(i):
            expected = ranking.probability[i, one.class_index]
            assert one.context.after == pytest.approx(expected, abs=1e-9)


def test_probabilities_of_exactly_one_label_are_corrected_and_sum_to_one(single):
    scores, y_true, training = single
    before = satc.rank(scores, **training).probability
    after = satc.rank(scores, **training, prior_shift=True).probability
    assert after.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    error = [np.abs(p.mean(axis=0) - y_true.mean(axis=0)).sum() for p in (before, after)]
    assert error[1] < 0.7 * error[0]


def test_labels_are_chosen_by_the_corrected_probabilities(made):
    decided = satc.decide(made.scores, **made.training, prior_shift=True)
    plain = satc.decide(made.scores, **made.training)
    assert decided.labels[:, 0].sum() > plain.labels[:, 0].sum()
    chosen = satc.decide(made.scores, **made.training, prior_shift=True, method="random")
    assert np.array_equal(chosen.labels, decided.labels)


def test_a_simulation_and_a_validation_have_the_same_order(made):
    options = {**made.training, "prior_shift": True, "decide": "measure"}
    order = satc.rank(made.scores, **options).order
    assert np.array_equal(satc.simulate(made.scores, made.y_true, **options).order, order)
    validation = satc.Validation(made.scores, **options, method="contextual")
    assert validation.next() == order[0]


def test_the_live_estimate_rests_on_the_corrected_probabilities(made):
    values = [
        satc.Validation(made.scores, **made.training, prior_shift=shifted).accuracy().value
        for shifted in (False, True)
    ]
    tables = satc.contingency.ContingencyTables.from_labels(made.y_true, made.scores >= 0)
    truth = satc.measures.macro_or_micro(satc.measures.F1, tables, "macro")
    assert abs(values[1] - truth) < abs(values[0] - truth)


def test_the_classifier_takes_the_option():
    X, Y = make_multilabel_classification(300, n_classes=3, random_state=0)
    classifier = satc.SemiAutomatedClassifier(LogisticRegression(), cv=3).fit(X[:200], Y[:200])
    shifted = classifier.rank(X[200:], prior_shift=True).probability
    plain = classifier.rank(X[200:]).probability
    assert shifted == pytest.approx(shifted_probabilities(plain, Y[:200].astype(bool)), abs=1e-12)


@pytest.mark.parametrize("method", ["u-theoretic", "baseline"])
def test_the_methods_of_the_paper_do_not_change(made, method):
    plain, shifted = (
        satc.rank(made.scores, **made.training, method=method, prior_shift=is_shifted)
        for is_shifted in (False, True)
    )
    assert np.array_equal(plain.utility, shifted.utility)


def test_a_cold_start_ignores_it(made):
    plain, shifted = (satc.rank(made.scores, prior_shift=shift) for shift in (False, True))
    assert np.array_equal(plain.probability, shifted.probability)


def test_a_wrong_value_is_named(made):
    with pytest.raises(ValueError, match="prior_shift must be True or False, but is 'yes'"):
        satc.rank(made.scores, **made.training, prior_shift="yes")


def test_a_calibrator_that_is_fitted_later_is_made_ready(made):
    model = prepare(made.scores, **made.training).model
    calls = []
    probability = model.calibrator.probabilities(made.scores)

    def fit():
        calls.append(1)
        return model.calibrator

    later = RememberedCalibrator(fit, made.scores, None, probability)
    shifted = WithShiftedPriors(later).fit(made.scores, None, made.y_train)
    assert not calls
    make_ready(shifted)
    assert calls == [1]
    assert shifted.similar_to(None, 3) == []
