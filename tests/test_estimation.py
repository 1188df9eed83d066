import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from satc.estimation.out_of_fold import out_of_fold_scores
from satc.estimation.scorer import fit_scorer


def documents(n=80, m=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, (X[:, :m] + 0.5 * rng.normal(size=(n, m))) > 0.7


def test_scores_are_those_of_scikit_learn_class_by_class():
    X, Y = documents()
    scores = out_of_fold_scores(LinearSVC(), X, Y, cv=5, random_state=3)
    folds = KFold(5, shuffle=True, random_state=3)
    for j in range(4):
        expected = cross_val_predict(LinearSVC(), X, Y[:, j], cv=folds, method="decision_function")
        np.testing.assert_allclose(scores[:, j], expected)


@pytest.mark.parametrize(
    "estimator",
    [
        LinearSVC(),
        LogisticRegression(),
        GaussianNB(),
        RidgeClassifier(),
        RandomForestClassifier(10, random_state=0),
        KNeighborsClassifier(),
        MLPClassifier((4,), max_iter=20, random_state=0),
        make_pipeline(SelectKBest(k=3), LinearSVC()),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_classifier_gives_finite_scores_that_know_something(estimator):
    X, Y = documents()
    scores = out_of_fold_scores(estimator, X, Y, cv=4)
    assert scores.shape == Y.shape
    assert np.isfinite(scores).all()
    assert scores[Y].mean() > scores[~Y].mean()


def test_with_probabilities_one_half_is_the_zero():
    X, Y = documents()
    fitted = fit_scorer(GaussianNB(), X, Y)
    probability = GaussianNB().fit(X, Y[:, 0]).predict_proba(X)[:, 1]
    np.testing.assert_array_equal(fitted.scores(X)[:, 0] >= 0, probability >= 0.5)


def test_a_class_absent_from_a_fold_is_decided_negative_there():
    X, Y = documents()
    Y[:, 1] = False
    Y[5, 1] = True
    Y[:, 2] = False
    Y[:, 3] = True
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    scores = out_of_fold_scores(LinearSVC(), X, Y, cv=folds)
    fold = next(test for _, test in folds if 5 in test)
    confidence = np.abs(scores[fold, 0]).mean()  # that of the only class that varies there
    assert scores[5, 1] == pytest.approx(-confidence)
    np.testing.assert_allclose(scores[fold, 2], -confidence)
    np.testing.assert_allclose(scores[fold, 3], confidence)


def test_documents_without_any_varying_class_are_decided_all_the_same():
    scores = fit_scorer(LinearSVC(), np.zeros((3, 1)), np.array([[0, 1]] * 3, bool)).scores([[0.0]])
    assert scores.tolist() == [[-1.0, 1.0]]


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(), GaussianNB()])
def test_absent_classes_of_a_probabilistic_classifier_are_as_certain_as_can_be(estimator):
    X, Y = documents()
    Y[:, 2] = False
    scores = out_of_fold_scores(estimator, X, Y, cv=4)
    assert np.all(scores[:, 2] == scores[:, 2].min())
    assert np.isfinite(scores).all()


def test_a_text_pipeline_shares_its_vectoriser_between_classes():
    texts = ["good wine", "bad wine", "good beer", "bad beer"] * 6
    Y = np.array([[1, 1], [0, 1], [1, 0], [0, 0]] * 6)
    pipeline = make_pipeline(TfidfVectorizer(), LinearSVC())
    fitted = fit_scorer(pipeline, texts, Y.astype(bool))
    assert len(fitted.members) == 2
    assert fitted.transformer is not None
    np.testing.assert_array_equal(out_of_fold_scores(pipeline, texts, Y, cv=3) >= 0, Y == 1)


def test_a_selection_that_looks_at_the_labels_is_not_shared():
    X, Y = documents()
    assert fit_scorer(make_pipeline(SelectKBest(k=2), LinearSVC()), X, Y).transformer is None


def test_sparse_documents_and_labels_are_taken():
    X, Y = documents()
    dense = out_of_fold_scores(LogisticRegression(), X, Y, cv=3)
    coo = sparse.coo_matrix(X)
    np.testing.assert_allclose(
        out_of_fold_scores(LogisticRegression(), coo, sparse.csc_matrix(Y.astype(int)), cv=3),
        dense,
        atol=1e-3,
    )


def test_folds_in_parallel_give_the_same_scores():
    X, Y = documents()
    with joblib.parallel_config(backend="threading"):
        two = out_of_fold_scores(LinearSVC(), X, Y, cv=5, n_jobs=2)
    np.testing.assert_array_equal(two, out_of_fold_scores(LinearSVC(), X, Y, cv=5, n_jobs=1))


def test_the_seed_makes_the_folds():
    X, Y = documents()
    a, b, c = (out_of_fold_scores(LinearSVC(), X, Y, cv=5, random_state=s) for s in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)


class Neither(BaseEstimator):
    pass


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"estimator": Neither()},
            TypeError,
            "must have decision_function or predict_proba, but Neither",
        ),
        (
            {"cv": 1},
            ValueError,
            "cv must be from 2 to the number of training documents, 80, but is 1",
        ),
        ({"cv": 81}, ValueError, "cv must be from 2 to"),
        (
            {"cv": "ten"},
            TypeError,
            "cv must be a number of folds, a splitter or an iterable, but is 'ten'",
        ),
        ({"cv": [(np.arange(80), np.arange(40))]}, ValueError, "exactly one test fold"),
        ({"cv": None}, TypeError, "cv must be a number of folds, a splitter or an iterable"),
        (
            {"Y": np.zeros((79, 4))},
            ValueError,
            "Y must have as many rows as X has documents, 80, but has 79",
        ),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    X, Y = documents()
    arguments = {"estimator": LinearSVC(), "X": X, "Y": Y, **change}
    with pytest.raises(error, match=message):
        out_of_fold_scores(**arguments)
