from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from satc.learners.linear_svm import LinearSVM, svm
from satc.learners.text import tfidf_vectorizer

IMPLEMENTATIONS = ("descent", "liblinear", "libsvm")


@pytest.fixture(scope="module")
def reuters(dataset):
    data = dataset("reuters21578")
    vectorizer = tfidf_vectorizer()
    train, test = vectorizer.fit_transform(data.train.texts), vectorizer.transform(data.test.texts)
    return train, data.train.labels, test, data.test.labels


def initial_error(y_true, decisions):
    """E1 of the paper, macro and micro; F1 is 1 for a class without positives and decisions."""
    tp = (y_true & decisions).sum(axis=0)
    errors = (y_true ^ decisions).sum(axis=0)
    f1 = np.where(tp + errors == 0, 1.0, 2 * tp / np.maximum(2 * tp + errors, 1))
    return 1 - f1.mean(), 1 - 2 * tp.sum() / (2 * tp.sum() + errors.sum())


@pytest.mark.slow
def test_the_preset_has_the_papers_initial_error_on_reuters_without_a_warning(reuters):
    train, y_train, test, y_test = reuters
    classifier = OneVsRestClassifier(svm()).fit(train, y_train.astype(int))
    macro, micro = initial_error(y_test, classifier.decision_function(test) >= 0)
    assert macro == pytest.approx(0.473, abs=0.005)
    assert micro == pytest.approx(0.140, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("frequency", [1, 40, 400])
def test_all_implementations_decide_alike_on_reuters(frequency, reuters):
    train, y_train, test, _ = reuters
    column = np.argmin(np.abs(y_train.sum(axis=0) - frequency))
    ours, fast, slow = (
        svm(name).fit(train, y_train[:, column]).decision_function(test) for name in IMPLEMENTATIONS
    )
    for scores in (ours, fast):
        np.testing.assert_array_equal(scores >= 0, slow >= 0)
        np.testing.assert_allclose(scores, slow, atol=0.05)


@pytest.mark.parametrize("scaling", [1.0, 5.0])
def test_the_descent_solves_the_problem_of_liblinear(scaling):
    X, y = make_classification(300, 20, flip_y=0.2, weights=[0.9], random_state=0)
    X = normalize(X)
    options = {"C": 2.0, "intercept_scaling": scaling, "tol": 1e-6, "random_state": 0}
    ours = LinearSVM(**options).fit(X, y)
    theirs = LinearSVC(loss="hinge", max_iter=1_000_000, **options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rounds
def test_the_descent_keeps_the_contract_of_scikit_learn():
    check_estimator(LinearSVM(random_state=0), on_skip=None)


def test_a_descent_that_is_cut_short_says_so():
    X, y = make_classification(100, 5, flip_y=0.3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="no solution after 2 rounds"):
        LinearSVM(max_iter=2).fit(X, y)


@pytest.mark.parametrize("wrong", [{"C": 0.0}, {"intercept_scaling": 0.5}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match="C must be above 0 and intercept_scaling at least 1"):
        LinearSVM(**wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_the_preset_is_an_ordinary_classifier_of_one_class(implementation):
    X, y = make_classification(200, 10, random_state=0)
    classifier = clone(svm(implementation)).fit(X, y)
    assert is_classifier(classifier)
    assert classifier.score(X, y) > 0.8
    assert classifier.decision_function(X).shape == (200,)


def test_the_cost_of_an_error_and_the_seed_are_passed_on():
    for implementation in IMPLEMENTATIONS:
        assert svm(implementation, C=3.0).get_params()["C"] == 3.0
        assert svm(implementation, random_state=7).get_params()["random_state"] == 7


def test_the_same_seed_gives_the_same_scores():
    X, y = make_classification(300, 20, flip_y=0.3, random_state=0)
    first, again = (svm(random_state=1).fit(X, y).decision_function(X) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_an_unknown_implementation_is_answered_with_those_that_exist():
    with pytest.raises(
        ValueError, match="implementation must be one of 'descent', 'liblinear', 'libsvm'"
    ):
        svm("svmlight")
