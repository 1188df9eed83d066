from __future__ import annotations

import itertools
from typing import ClassVar

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.utils.estimator_checks import check_estimator

import satc
from satc.estimation.transductive import is_transductive
from satc.learners import SelfTraining, TransductiveSVM
from satc.learners.linear_svm import LinearSVM

CLASSIFIERS = (TransductiveSVM(random_state=0), SelfTraining())


def loss(X, signs, costs, scaling=5.0):
    """Return the least sum of penalty and losses for given labels."""
    weights, intercept = solution(X, signs, costs, scaling)
    slack = np.maximum(0.0, 1.0 - signs * (X @ weights + intercept))
    return weights @ weights / 2 + intercept**2 / (2 * scaling**2) + costs @ slack


def solution(X, signs, costs, scaling):
    """Return the SVM for given labels, by the ordinary one on repeated documents."""
    times = np.round(costs / costs.min()).astype(int)
    rows = np.repeat(np.arange(len(X)), times)
    fitted = LinearSVM(C=costs.min(), intercept_scaling=scaling, tol=1e-7, random_state=0)
    fitted.fit(X[rows], signs[rows])
    return fitted.coef_[0], fitted.intercept_[0]


def two_heaps(n, rng, distance=3.0):
    """Return documents in two heaps, and the heap of each."""
    y = np.arange(n) % 2
    return rng.normal(0.0, 0.5, (n, 2)) + np.array([[-1.0], [1.0]])[y] * [distance / 2, 0.3], y


def test_few_labels_are_enough_where_the_documents_form_heaps():
    rng = np.random.default_rng(0)
    X, y = np.array([[-1.5, 3.0], [1.5, -3.0]]), [0, 1]  # the heaps lie across these two
    others, truth = two_heaps(200, rng)
    inductive = LinearSVM(C=10.0).fit(X, y).predict(others)
    transductive = TransductiveSVM(C=10.0).fit(X, y, others)
    assert (inductive == truth).mean() < 0.9
    np.testing.assert_array_equal(transductive.predict(others), truth)
    np.testing.assert_array_equal(transductive.transduction_, truth == 1)


def test_it_finds_the_best_of_all_labellings_of_a_small_set():
    rng = np.random.default_rng(3)
    X, y = two_heaps(6, rng)
    others, _ = two_heaps(8, rng)
    fitted = TransductiveSVM(C=1.0, tol=1e-7, random_state=0).fit(X, y, others)
    rows, signs = np.vstack([X, others]), np.where(y, 1.0, -1.0)
    costs = np.ones(len(rows))

    def loss_of(positive):
        chosen = -np.ones(len(others))
        chosen[list(positive)] = 1.0
        return loss(rows, np.concatenate([signs, chosen]), costs)

    best = min(itertools.combinations(range(len(others)), 4), key=loss_of)
    assert loss_of(np.flatnonzero(fitted.transduction_)) == pytest.approx(loss_of(best), abs=1e-4)


def test_no_exchange_of_two_labels_lowers_the_loss():
    X, y = make_classification(60, 8, flip_y=0.1, random_state=1)
    X = normalize(X)
    fitted = TransductiveSVM(tol=1e-7, random_state=0).fit(X[:20], y[:20], X[20:])
    signs = np.where(fitted.transduction_, 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - signs * fitted.decision_function(X[20:]))
    worst = [slack[fitted.transduction_ == side].max() for side in (True, False)]
    assert sum(worst) <= 2.0 + 1e-6 or min(worst) == 0.0


def test_the_weights_are_those_of_an_svm_on_all_documents_with_the_labels_found():
    X, y = make_classification(80, 6, flip_y=0.1, random_state=2)
    X = normalize(X)
    fitted = TransductiveSVM(C=1.0, C_unlabelled=0.5, tol=1e-7, random_state=0)
    fitted.fit(X[:30], y[:30], X[30:])
    signs = np.where(np.concatenate([y[:30] == 1, fitted.transduction_]), 1.0, -1.0)
    costs = np.where(np.arange(80) < 30, 1.0, 0.5)
    weights, intercept = solution(X, signs, costs, 5.0)
    np.testing.assert_allclose(fitted.coef_[0], weights, atol=1e-4)
    np.testing.assert_allclose(fitted.intercept_, intercept, atol=1e-4)


@pytest.mark.parametrize("share", [None, 0.1, 0.8])
def test_the_share_of_positive_documents_is_kept(share):
    X, y = make_classification(100, 5, weights=[0.75], flip_y=0.0, random_state=0)
    fitted = TransductiveSVM(positive_share=share).fit(X[:40], y[:40], X[40:])
    assert fitted.transduction_.sum() == round((y[:40].mean() if share is None else share) * 60)


def test_without_unlabelled_documents_it_is_the_inductive_svm():
    X, y = make_classification(60, 5, flip_y=0.2, random_state=0)
    ours, plain = TransductiveSVM(random_state=0).fit(X, y), LinearSVM(random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, plain.coef_)
    assert ours.transduction_.shape == (0,)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda one: type(one).__name__)
def test_sparse_and_dense_documents_give_the_same_scores(classifier):
    X, y = make_classification(80, 5, random_state=0)
    dense = classifier.fit(X[:30], y[:30], X[30:]).decision_function(X)
    rows = sparse.csr_matrix(X)
    found = classifier.fit(rows[:30], y[:30], rows[30:]).decision_function(rows)
    np.testing.assert_allclose(found, dense, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rounds
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda one: type(one).__name__)
def test_they_keep_the_contract_of_scikit_learn(classifier):
    check_estimator(classifier, on_skip=None)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"C_unlabelled": 0.0}, "C_unlabelled must be above 0, but is 0.0"),
        ({"C_unlabelled": "a"}, "C_unlabelled must be above 0, but is 'a'"),
        (
            {"C": "a"},
            "C must be above 0 and intercept_scaling at least 1, but they are 'a' and 5.0",
        ),
        ({"positive_share": "a"}, "positive_share must be between 0 and 1, but is 'a'"),
        ({"positive_share": 1.0}, "positive_share must be between 0 and 1, but is 1.0"),
    ],
)
def test_wrong_parameters_are_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        TransductiveSVM(**wrong).fit([[0.0], [1.0]], [0, 1])


def test_unlabelled_documents_have_the_features_of_the_labelled_ones():
    with pytest.raises(ValueError, match="features"):
        TransductiveSVM().fit([[0.0], [1.0]], [0, 1], [[0.0, 1.0]])


def test_a_search_that_is_cut_short_says_so():
    X, y = make_classification(100, 5, flip_y=0.3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="no solution after 2 rounds"):
        TransductiveSVM(max_iter=2).fit(X[:50], y[:50], X[50:])


def many_classes(n):
    rng = np.random.default_rng(0)
    X = rng.normal(0.0, 1.0, (n, 6))
    return X, (X[:, :3] + rng.normal(0.0, 0.3, (n, 3)) > 0.5).astype(int)


class Recording(TransductiveSVM):
    """Keeps how many unlabelled documents it was given."""

    given: ClassVar[list[int]] = []

    def fit(self, X, y, unlabelled=None):
        self.given.append(0 if unlabelled is None else unlabelled.shape[0])
        return super().fit(X, y, unlabelled)


def test_each_fold_gets_the_documents_to_be_labelled_and_its_own_without_labels():
    X, Y = many_classes(90)
    Recording.given = []
    satc.SemiAutomatedClassifier(Recording(), cv=3).fit(X[:60], Y[:60], unlabelled=X[60:])
    assert Recording.given == [30] * 3 + [30 + 20] * 9


def test_the_scores_of_a_fold_do_not_depend_on_its_labels():
    X, Y = many_classes(80)
    changed = Y.copy()
    fold = np.arange(0, 60, 3)
    changed[fold] = 1 - changed[fold]
    folds = [(np.setdiff1d(np.arange(60), test), test) for test in (fold, fold + 1, fold + 2)]
    classifier, options = TransductiveSVM(random_state=0), {"cv": folds, "unlabelled": X[60:]}
    before, after = (
        satc.out_of_fold_scores(classifier, X[:60], labels[:60], **options)
        for labels in (Y, changed)
    )
    np.testing.assert_array_equal(before[fold], after[fold])


def test_a_pipeline_transforms_the_unlabelled_documents_as_well():
    X, Y = many_classes(90)
    scaled = make_pipeline(StandardScaler(), TransductiveSVM(random_state=0))
    ours = satc.SemiAutomatedClassifier(scaled, cv=3).fit(X[:60], Y[:60], unlabelled=X[60:])
    by_hand = StandardScaler().fit(X[:60]).transform(X)
    member = TransductiveSVM(random_state=0).fit(by_hand[:60], Y[:60, 1], by_hand[60:])
    np.testing.assert_allclose(ours.scores(X)[:, 1], member.decision_function(by_hand))


def test_a_classifier_that_has_no_use_for_unlabelled_documents_refuses_them():
    X, Y = many_classes(60)
    assert not is_transductive(LinearSVM())
    with pytest.raises(ValueError, match=r"unlabelled must be left out .* LinearSVM does not"):
        satc.SemiAutomatedClassifier(LinearSVM()).fit(X[:40], Y[:40], unlabelled=X[40:])
