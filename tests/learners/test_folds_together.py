"""The SVMs of all folds, fitted together, compared with those that are fitted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from satc.estimation.folds import make_folds
from satc.estimation.out_of_fold import fit_with_folds, out_of_fold_scores, score_fold
from satc.estimation.scorer import fit_scorer
from satc.estimation.together import can_fit_together
from satc.learners.folds.lanes import any_of, load, maximum, minimum, splat, store, where, zeros
from satc.learners.linear_svm import LinearSVM
from satc.learners.text.tfidf import LogTfidfTransformer
from satc.learners.transductive_svm import TransductiveSVM

ALLOWED = 1e-3  # the tolerance of the solver


def documents(n=120, n_terms=60, m=4, seed=0):
    """Return counts of terms, some of them rare, and labels that depend on the counts."""
    rng = np.random.default_rng(seed)
    rates = rng.exponential(1.0, n_terms) * np.arange(1, n_terms + 1) ** -0.7
    counts = rng.poisson(rates, (n, n_terms))
    counts[:, 1] = 1  # a term of every document
    counts[5] = 0
    scores = np.log1p(counts) @ rng.normal(size=(n_terms, m))
    return sparse.csr_matrix(counts), scores > np.quantile(scores, 0.8, axis=0)


def learner(**options):
    return make_pipeline(LogTfidfTransformer(), LinearSVM(random_state=0, **options))


def one_by_one(X, Y, folds, **options):
    """Return out-of-fold scores by SVMs that are much more exact."""
    scores = np.empty(Y.shape)
    for fold in folds:
        scores[fold.test] = score_fold(learner(tol=1e-7, **options), X, Y, fold)
    return scores


@pytest.mark.parametrize("options", [{}, {"C": 3.0}, {"intercept_scaling": 1.0}])
def test_out_of_fold_scores_are_those_of_svms_that_are_fitted_one_by_one(options):
    X, Y = documents()
    folds = make_folds(Y, 10)
    assert can_fit_together(learner(**options), Y, folds)
    together = out_of_fold_scores(learner(**options), X, Y, cv=10)
    np.testing.assert_allclose(together, one_by_one(X, Y, folds, **options), atol=ALLOWED)


@pytest.mark.parametrize("n_folds", [5, 15, 16, 33])
def test_any_number_of_folds_is_fitted_together(n_folds):
    X, Y = documents(99)
    together = out_of_fold_scores(learner(), X, Y, cv=n_folds)
    np.testing.assert_allclose(together, one_by_one(X, Y, make_folds(Y, n_folds)), atol=ALLOWED)


def test_the_svms_of_all_documents_are_the_usual_ones():
    X, Y = documents()
    scorer, _ = fit_with_folds(learner(), X, Y, cv=20)
    exact = fit_scorer(learner(tol=1e-7), X, Y)
    np.testing.assert_allclose(scorer.scores(X), exact.scores(X), atol=ALLOWED)
    for member, other in zip(scorer.members, exact.members, strict=True):
        np.testing.assert_allclose(member.coef_, other.coef_, atol=3 * ALLOWED)
        assert member.predict(X[:3] * 0.0).tolist() == other.predict(X[:3] * 0.0).tolist()


def test_classes_that_are_constant_in_a_fold_are_decided_as_ever():
    X, Y = documents()
    Y[:, 1], Y[:, 2], Y[:, 3] = False, True, False
    Y[7, 1] = True
    folds = make_folds(Y, 6)
    together = out_of_fold_scores(learner(), X, Y, cv=folds)
    np.testing.assert_allclose(together, one_by_one(X, Y, folds), atol=ALLOWED)


def test_training_parts_may_leave_documents_out():
    X, Y = documents()
    folds = [(fold.train[::2], fold.test) for fold in make_folds(Y, 5)]
    together = out_of_fold_scores(learner(), X, Y, cv=folds)
    np.testing.assert_allclose(together, one_by_one(X, Y, make_folds(Y, folds)), atol=ALLOWED)


def test_without_a_class_that_varies_nothing_is_fitted_together():
    X, Y = documents()
    Y[:] = [True, False, False, False]
    scores = out_of_fold_scores(learner(), X, Y, cv=5)
    np.testing.assert_array_equal(scores >= 0, Y)


def test_threads_do_not_change_the_scores():
    X, Y = documents()
    one, two = (out_of_fold_scores(learner(), X, Y, cv=5, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("options", [{"tol": 1e-6}, {"C": 1000.0}])
def test_problems_that_need_64_bit_numbers_are_solved_fold_by_fold(options):
    _, Y = documents()
    assert not can_fit_together(learner(**options), Y, make_folds(Y, 5))


def test_folds_without_training_documents_are_left_to_the_estimator():
    _, Y = documents(20)
    folds = make_folds(Y, 5)
    folds[0] = folds[0]._replace(train=np.arange(0))
    assert not can_fit_together(learner(), Y, folds)


def test_few_folds_are_fitted_one_by_one():
    _, Y = documents(20)
    assert not can_fit_together(learner(), Y, make_folds(Y, 4))
    assert can_fit_together(learner(), Y, make_folds(Y, 5))


def test_training_parts_with_repeated_documents_are_left_to_the_estimator():
    X, Y = documents()
    folds = [(np.repeat(fold.train, 2), fold.test) for fold in make_folds(Y, 6)]
    assert not can_fit_together(learner(), Y, make_folds(Y, folds))
    twice = out_of_fold_scores(learner(tol=1e-7), X, Y, cv=folds)
    np.testing.assert_allclose(twice, one_by_one(X, Y, make_folds(Y, 6), C=2.0), atol=ALLOWED)


class OtherWeights(LogTfidfTransformer):
    """Weights of terms that differ from those of its base class."""

    def transform(self, X):
        return super().transform(X) * 2.0


def test_a_subclass_is_fitted_fold_by_fold():
    X, Y = documents(60)
    other = make_pipeline(OtherWeights(), LinearSVM(random_state=0))
    folds = make_folds(Y, 6)
    assert not can_fit_together(other, Y, folds)
    scores = out_of_fold_scores(other, X, Y, cv=folds)
    np.testing.assert_array_equal(scores[folds[0].test], score_fold(other, X, Y, folds[0]))


def test_a_transductive_svm_is_fitted_fold_by_fold():
    _, Y = documents(20)
    transductive = make_pipeline(LogTfidfTransformer(), TransductiveSVM())
    assert not can_fit_together(transductive, Y, make_folds(Y, 5))


def test_arguments_of_fit_are_left_to_the_estimator():
    _, Y = documents(20)
    folds = make_folds(Y, 6)
    assert can_fit_together(learner(), Y, folds, {})
    assert not can_fit_together(learner(), Y, folds, {"sample_weight": np.ones(20)})


def test_classes_of_single_label_data_are_fitted_together():
    X, Y = documents()
    Y = np.eye(3, dtype=bool)[np.argmax(np.cumsum(Y, axis=1), axis=1) % 3]
    folds = make_folds(Y, 5)
    together = out_of_fold_scores(learner(), X, Y, cv=folds)
    np.testing.assert_allclose(together, one_by_one(X, Y, folds), atol=ALLOWED)


def test_dense_counts_give_the_same_scores():
    X, Y = documents(60)
    dense, sparse_ones = (out_of_fold_scores(learner(), one, Y, cv=5) for one in (X.toarray(), X))
    np.testing.assert_array_equal(dense, sparse_ones)


def test_a_descent_of_all_folds_that_is_cut_short_says_so():
    X, Y = documents()
    with pytest.warns(ConvergenceWarning, match="no solution after 2 rounds"):
        out_of_fold_scores(learner(max_iter=2), X, Y, cv=5)


def test_wrong_parameters_are_refused():
    X, Y = documents()
    with pytest.raises(ValueError, match="C must be above 0"):
        out_of_fold_scores(learner(C=0.0), X, Y, cv=5)


def test_negative_counts_are_refused():
    X, Y = documents()
    X.data[3] = -1
    with pytest.raises(ValueError, match="Negative values"):
        out_of_fold_scores(learner(), X, Y, cv=5)


def test_factors_of_folds_are_those_of_a_transformer_that_is_fitted_on_them():
    X, Y = documents()
    folds = make_folds(Y, 5)
    factors, of_terms = LogTfidfTransformer().fit(X).fold_factors(X, [f.train for f in folds])
    for fold, idf in zip(folds, of_terms[1:], strict=True):
        expected = LogTfidfTransformer().fit(X[fold.train])
        np.testing.assert_allclose(idf, expected.idf_)
        products = factors.multiply(idf).tocsr()[fold.test].toarray()
        norms = np.maximum(np.linalg.norm(products, axis=1, keepdims=True), 1e-12)
        np.testing.assert_allclose(products / norms, expected.transform(X[fold.test]).toarray())


@njit
def computed(rows, number):
    """Store results of all operations of lanes in rows of an array."""
    x, y, c = load(rows, 0), load(rows, 1), splat(number)
    store(rows, 2, x + y * c)
    store(rows, 3, x - y)
    store(rows, 4, minimum(x, y))
    store(rows, 5, maximum(x, y))
    store(rows, 6, where((x > y) & (x > c), x, c))
    store(rows, 7, where((x < y) | (x == y), y, c))
    return any_of(x > y), any_of(x > x)


def test_lanes_compute_what_numpy_computes():
    rows = zeros(8)
    rows[:2] = np.random.default_rng(0).normal(size=(2, 16))
    rows[1, 4] = rows[0, 4]
    x, y, c = rows[0].copy(), rows[1].copy(), np.float32(0.3)
    assert computed(rows, c) == (True, False)
    expected = [x + y * c, x - y, np.minimum(x, y), np.maximum(x, y)]
    expected += [np.where((x > y) & (x > c), x, c), np.where(x <= y, y, c)]
    np.testing.assert_allclose(rows[2:], expected, rtol=1e-6, atol=1e-6)


def test_rows_of_lanes_begin_at_lines_of_the_cache():
    assert all(zeros(n).ctypes.data % 64 == 0 for n in (1, 3, 1000))
