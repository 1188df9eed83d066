"""MP-Boost: same results as the plain version, the contract of scikit-learn, unusual inputs."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from plain_mpboost import plain_boost, plain_scores
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from satc.learners.mpboost import MPBoostClassifier
from satc.learners.text import presence_vectorizer

pytestmark = pytest.mark.slow  # compiling MP-Boost takes ten seconds

VARIANTS = ["mp", "mh"]


def made_texts(seed, n_documents, n_terms, n_classes, positive=0.1):
    """Documents whose terms follow Zipf's law, and classes that depend on some of the terms."""
    rng = np.random.default_rng(seed)
    frequency = np.minimum(3 / np.arange(1, n_terms + 1) ** 0.9, 0.9)
    X = rng.random((n_documents, n_terms)) < rng.permutation(frequency)
    effect = rng.normal(size=(n_terms, n_classes)) * (rng.random((n_terms, n_classes)) < 0.1)
    latent = X @ effect + 0.5 * rng.normal(size=(n_documents, n_classes))
    Y = latent > np.quantile(latent, 1 - positive, axis=0)
    return X.astype(float), Y.astype(int)


def odd_case(seed):
    """Small problems full of ties: copies, constant columns, empty rows, one-sided classes."""
    rng = np.random.default_rng(seed)
    n, n_terms, n_classes = rng.integers(2, 60), rng.integers(1, 40), rng.integers(1, 5)
    X = (rng.random((n, n_terms)) < rng.choice([0.1, 0.4, 0.9])).astype(float)
    X = X[:, rng.integers(n_terms, size=n_terms)]
    X[:, rng.integers(n_terms)] = 0
    X[:, rng.integers(n_terms)] = 1
    X[rng.integers(n)] = 0
    Y = (rng.random((n, n_classes)) < rng.choice([0.02, 0.3, 0.95])).astype(int)
    Y[:, 0] = X[:, 0]
    return X, Y


def assert_as_plain(model, X, Y):
    pivots, votes = plain_boost(X, Y, model.n_rounds, model.epsilon, model.variant)
    np.testing.assert_array_equal(model.pivots_, pivots)
    np.testing.assert_allclose(model.votes_, votes, rtol=0, atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_pivots_and_votes_are_those_of_the_plain_version(seed, variant):
    X, Y = made_texts(seed, n_documents=400, n_terms=300, n_classes=4)
    model = MPBoostClassifier(n_rounds=80, variant=variant).fit(sp.csr_array(X), Y)
    assert len(np.unique(model.pivots_)) > 20
    assert_as_plain(model, X, Y)


@pytest.mark.parametrize(("variant", "n_rounds"), [("mp", 500), ("mh", 300)])
@pytest.mark.parametrize("positive", [0.004, 0.01, 0.03])
def test_rare_classes_agree_with_the_plain_version_in_the_long_run(positive, variant, n_rounds):
    # hundreds of rounds: weights become 0, sums are recomputed, totals leave their range
    X, Y = made_texts(7, n_documents=500, n_terms=150, n_classes=3, positive=positive)
    model = MPBoostClassifier(n_rounds, variant=variant).fit(X, Y)
    assert_as_plain(model, X, Y)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(40))
def test_odd_cases_agree_with_the_plain_version(seed, variant):
    X, Y = odd_case(seed)
    assert_as_plain(MPBoostClassifier(n_rounds=20, variant=variant).fit(X, Y), X, Y)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0])
def test_the_smoothing_of_the_votes_can_be_chosen(epsilon):
    X, Y = made_texts(3, n_documents=100, n_terms=40, n_classes=2)
    assert_as_plain(MPBoostClassifier(n_rounds=30, epsilon=epsilon).fit(X, Y), X, Y)


def test_a_vote_is_half_the_logarithm_of_the_smoothed_weights():
    # 2 of 3 positive documents and 1 of 5 negative ones have the term
    X = [[1], [1], [0], [1], [0], [0], [0], [0]]
    Y = np.array([[1, 1, 1, 0, 0, 0, 0, 0]]).T
    votes = MPBoostClassifier(n_rounds=1).fit(X, Y).votes_[0, 0]
    absent, present = (1 / 8 + 1 / 8) / (4 / 8 + 1 / 8), (2 / 8 + 1 / 8) / (1 / 8 + 1 / 8)
    np.testing.assert_allclose(votes, [np.log(absent) / 2, np.log(present) / 2])


@pytest.mark.parametrize("variant", VARIANTS)
def test_of_equal_columns_the_first_is_the_pivot(variant):
    X, Y = made_texts(0, n_documents=120, n_terms=30, n_classes=3)
    once = MPBoostClassifier(n_rounds=40, variant=variant).fit(X, Y)
    twice = MPBoostClassifier(n_rounds=40, variant=variant).fit(np.hstack([X, X]), Y)
    np.testing.assert_array_equal(once.pivots_, twice.pivots_)
    after = MPBoostClassifier(n_rounds=40, variant=variant).fit(np.repeat(X, 2, axis=1), Y)
    np.testing.assert_array_equal(2 * once.pivots_, after.pivots_)


def test_a_column_and_its_opposite_are_tied():
    X, Y = made_texts(1, n_documents=150, n_terms=20, n_classes=3)
    model = MPBoostClassifier(n_rounds=30).fit(np.hstack([1 - X, X]), Y)
    assert model.pivots_.max() < X.shape[1]


def test_the_order_of_the_documents_does_not_matter():
    X, Y = made_texts(2, n_documents=200, n_terms=100, n_classes=3)
    order = np.random.default_rng(0).permutation(len(X))
    model = MPBoostClassifier(n_rounds=60).fit(X, Y)
    other = MPBoostClassifier(n_rounds=60).fit(X[order], Y[order])
    np.testing.assert_array_equal(model.pivots_, other.pivots_)
    np.testing.assert_allclose(model.votes_, other.votes_, atol=1e-9)


def test_a_class_does_not_depend_on_the_others_except_through_epsilon():
    X, Y = made_texts(4, n_documents=200, n_terms=100, n_classes=3)
    together = MPBoostClassifier(n_rounds=30, epsilon=1e-4).fit(X, Y)
    alone = MPBoostClassifier(n_rounds=30, epsilon=1e-4).fit(X, Y[:, [1]])
    np.testing.assert_array_equal(together.votes_[:, [1]], alone.votes_)


def test_adaboost_mh_shares_its_pivots_and_with_one_class_is_mp_boost():
    X, Y = made_texts(5, n_documents=200, n_terms=100, n_classes=3)
    shared = MPBoostClassifier(n_rounds=30, variant="mh").fit(X, Y)
    assert (shared.pivots_ == shared.pivots_[:, [0]]).all()
    mh = MPBoostClassifier(n_rounds=30, variant="mh").fit(X, Y[:, [0]])
    mp = MPBoostClassifier(n_rounds=30, variant="mp").fit(X, Y[:, [0]])
    np.testing.assert_array_equal(mh.pivots_, mp.pivots_)
    np.testing.assert_allclose(mh.votes_, mp.votes_, atol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("first_column", [0, 1, "mixed"])
@pytest.mark.parametrize("label", [0, 1])
def test_a_one_sided_class_is_decided_its_way_everywhere(variant, first_column, label):
    X, Y = made_texts(6, n_documents=60, n_terms=20, n_classes=2)
    if first_column != "mixed":
        X[:, 0] = first_column
    Y[:, 1] = label
    model = MPBoostClassifier(n_rounds=10, variant=variant).fit(X, Y)
    everything = np.vstack([X, np.eye(20), 1 - np.eye(20), np.zeros(20), np.ones(20)])
    scores = model.decision_function(everything)[:, 1]
    assert np.isfinite(scores).all()
    assert ((scores > 0) if label else (scores < 0)).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_one_sided_classes_and_constant_columns_can_be_fitted(variant):
    X, Y = np.array([[0, 1], [0, 1]]), np.array([[0, 1], [0, 1]])
    model = MPBoostClassifier(n_rounds=3, variant=variant).fit(X, Y)
    assert (model.predict([[1, 0], [0, 0]]) == [0, 1]).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_more_rounds_than_terms_are_well(variant):
    X, Y = made_texts(8, n_documents=80, n_terms=3, n_classes=2, positive=0.3)
    model = MPBoostClassifier(n_rounds=400, variant=variant).fit(X, Y)
    scores = plain_scores(X, *plain_boost(X, Y, 400, variant=variant))
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-5)


def test_anything_but_zero_is_present():
    X, Y = made_texts(9, n_documents=60, n_terms=20, n_classes=2)
    values = sp.coo_array(X * np.random.default_rng(0).normal(size=X.shape))
    rows, columns = np.nonzero(X == 0)
    coordinates = (np.append(values.row, rows[:50]), np.append(values.col, columns[:50]))
    with_zeros = sp.csr_array((np.append(values.data, np.zeros(50)), coordinates), shape=X.shape)
    assert with_zeros.nnz == values.nnz + 50
    expected = MPBoostClassifier(n_rounds=20).fit(X, Y)
    model = MPBoostClassifier(n_rounds=20).fit(with_zeros, Y)
    np.testing.assert_array_equal(model.votes_, expected.votes_)
    np.testing.assert_array_equal(model.decision_function(with_zeros), model.decision_function(X))


def test_entries_that_cancel_are_absent_and_the_input_is_left_alone():
    duplicated = sp.csr_matrix(([1.0, -1.0, 2.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    model = MPBoostClassifier(n_rounds=2).fit(duplicated, [[0], [1]])
    expected = MPBoostClassifier(n_rounds=2).fit([[0, 0], [0, 1]], [[0], [1]])
    np.testing.assert_array_equal(model.pivots_, expected.pivots_)
    assert duplicated.nnz == 3


@pytest.mark.parametrize(
    "as_labels", [sp.csr_matrix, pd.DataFrame, pl.DataFrame, np.ndarray.tolist]
)
def test_labels_may_come_in_any_shape(as_labels):
    X, Y = made_texts(10, n_documents=50, n_terms=20, n_classes=3)
    expected = MPBoostClassifier(n_rounds=5).fit(X, Y)
    model = MPBoostClassifier(n_rounds=5).fit(X, as_labels(Y))
    np.testing.assert_array_equal(model.votes_, expected.votes_)
    assert model.predict(X).shape == Y.shape


def test_one_indicator_column_stays_a_matrix_and_one_column_of_labels_does_not():
    X, Y = made_texts(11, n_documents=50, n_terms=20, n_classes=1, positive=0.4)
    assert MPBoostClassifier(n_rounds=5).fit(X, Y).predict(X).shape == (50, 1)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = MPBoostClassifier(n_rounds=20).fit(X, Y + 1)
    assert set(model.predict(X)) == {1, 2}


def test_label_vectors_follow_scikit_learn():
    X, Y = made_texts(12, n_documents=90, n_terms=30, n_classes=1, positive=0.4)
    names = np.array(["corn", "wheat"])[Y[:, 0]]
    binary = MPBoostClassifier(n_rounds=50).fit(X, names)
    assert binary.decision_function(X).shape == (90,)
    assert (binary.predict(X) == names).mean() > 0.9
    several = np.where(X[:, 0] == 1, "barley", names)
    model = MPBoostClassifier(n_rounds=50).fit(X, several)
    assert model.decision_function(X).shape == (90, 3)
    assert list(model.classes_) == ["barley", "corn", "wheat"]
    assert (model.predict(X) == several).mean() > 0.9


@pytest.mark.parametrize("variant", VARIANTS)
def test_stages_add_up_to_the_scores(variant):
    X, Y = made_texts(13, n_documents=80, n_terms=30, n_classes=3)
    model = MPBoostClassifier(n_rounds=15, variant=variant).fit(X, Y)
    stages = list(model.staged_decision_function(sp.csr_matrix(X)))
    assert len(stages) == 15
    for r, scores in enumerate(stages, 1):
        expected = plain_scores(X, model.pivots_[:r], model.votes_[:r])
        np.testing.assert_allclose(scores, expected, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), stages[-1], atol=1e-12)


def test_stages_of_a_binary_problem_are_vectors():
    X, Y = made_texts(13, n_documents=40, n_terms=10, n_classes=1)
    model = MPBoostClassifier(n_rounds=3).fit(X, Y[:, 0])
    assert [scores.shape for scores in model.staged_decision_function(X)] == [(40,)] * 3


def test_a_person_can_read_the_model():
    X, Y = made_texts(14, n_documents=80, n_terms=12, n_classes=2)
    frame = pd.DataFrame(X, columns=[f"term{j}" for j in range(12)])
    model = MPBoostClassifier(n_rounds=30).fit(frame, Y)
    votes = model.describe(1)
    assert sum(vote.rounds for vote in votes) == 30
    assert all(vote.term == f"term{vote.column}" for vote in votes)
    assert sum(vote.absent for vote in votes) == pytest.approx(model.intercept_[1])
    for vote in votes:
        assert vote.present - vote.absent == pytest.approx(model.coef_[1, vote.column])
    effects = [abs(vote.present - vote.absent) for vote in votes]
    assert effects == sorted(effects, reverse=True)
    assert model.describe(1, top=2) == votes[:2]
    assert model.describe(1, feature_names=list("abcdefghijkl"))[0].term in "abcdefghijkl"
    with pytest.raises(ValueError, match="feature_names must hold a name for each of the 12 terms"):
        model.describe(0, feature_names=["a"])


def test_without_names_terms_are_numbers():
    model = MPBoostClassifier(n_rounds=1).fit([[0, 0], [0, 1]], [[0], [1]])
    assert model.describe()[0].term == "1"


@parametrize_with_checks([MPBoostClassifier(n_rounds=5, variant=variant) for variant in VARIANTS])
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


def test_a_fitted_classifier_can_be_pickled_and_a_clone_is_not_fitted():
    X, Y = made_texts(15, n_documents=60, n_terms=20, n_classes=2)
    model = MPBoostClassifier(n_rounds=10, epsilon=0.01).fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    assert not hasattr(clone(model), "pivots_")
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("backend", [None, "threading", "loky", "multiprocessing"])
def test_every_backend_gives_the_same_and_tells_its_progress(backend):
    X, Y = made_texts(16, n_documents=80, n_terms=30, n_classes=5)
    expected = MPBoostClassifier(n_rounds=20).fit(X, Y)
    told = []
    model = MPBoostClassifier(n_rounds=20, n_jobs=2, callback=lambda *done: told.append(done))
    with joblib.parallel_config(backend=backend) if backend else joblib.parallel_config():
        model.fit(X, Y)
    np.testing.assert_array_equal(model.votes_, expected.votes_)
    assert told == [(k, 5) for k in range(1, 6)]


def test_adaboost_mh_tells_its_rounds():
    X, Y = made_texts(16, n_documents=40, n_terms=10, n_classes=2)
    told = []
    MPBoostClassifier(3, variant="mh", callback=lambda *done: told.append(done)).fit(X, Y)
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rounds": 0}, "n_rounds must be a positive integer, but is 0"),
        ({"n_rounds": 2.5}, "n_rounds must be a positive integer, but is 2.5"),
        ({"n_rounds": True}, "n_rounds must be a positive integer, but is True"),
        ({"variant": "mg"}, "variant must be one of 'mp', 'mh', but is 'mg'"),
        ({"epsilon": 0.0}, "epsilon must be a finite number, at least 1e-30, or None, but is 0.0"),
        ({"epsilon": float("nan")}, "epsilon must be a finite number"),
        ({"epsilon": "small"}, "epsilon must be a finite number"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        MPBoostClassifier(**options).fit([[0], [1]], [[0], [1]])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([[0, 1], [2, 1]], r"y must hold 0 and 1 only, but y\[1, 0\] is 2"),
        ([[0, 1]], r"y must have as many documents \(rows\) as X, 2, but has 1"),
        ([0, 1, 1], r"y must have as many documents \(rows\) as X, 2, but has 3"),
        ([0.5, 0.7], "Unknown label type"),
    ],
)
def test_wrong_labels_are_named(y, message):
    with pytest.raises(ValueError, match=message):
        MPBoostClassifier(n_rounds=1).fit([[0], [1]], y)


def test_reuters_has_the_error_that_was_measured_before(dataset):
    # measured earlier with 1000 rounds: E1 macro .400 and micro .158
    reuters = dataset("reuters21578")
    vectorizer = presence_vectorizer()
    X = vectorizer.fit_transform(reuters.train.texts)
    model = MPBoostClassifier(n_jobs=2).fit(X, reuters.train.labels)
    decisions = model.predict(vectorizer.transform(reuters.test.texts)) == 1
    truth = reuters.test.labels == 1
    tp, wrong = (decisions & truth).sum(axis=0), (decisions != truth).sum(axis=0)
    f1 = np.where(tp + wrong == 0, 1.0, 2 * tp / np.maximum(2 * tp + wrong, 1))
    assert 1 - f1.mean() == pytest.approx(0.400, abs=0.015)
    assert 1 - 2 * tp.sum() / (2 * tp.sum() + wrong.sum()) == pytest.approx(0.158, abs=0.01)
