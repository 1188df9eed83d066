import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import satc
from satc import SemiAutomatedClassifier


def documents(n=120, m=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, ((X[:, :m] + 0.7 * rng.normal(size=(n, m))) > 0.7).astype(int)


@pytest.mark.slow
@parametrize_with_checks(
    [
        SemiAutomatedClassifier(LinearSVC(), cv=3),
        SemiAutomatedClassifier(LogisticRegression(), cv=3),
    ]
)
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


def test_it_ranks_as_rank_does_on_its_scores():
    X, Y = documents()
    clf = SemiAutomatedClassifier(LinearSVC(), cv=5, measure="f2", average="micro").fit(
        X[:80], Y[:80]
    )
    expected = satc.rank(
        clf.scores(X[80:]),
        oof_scores=satc.out_of_fold_scores(LinearSVC(), X[:80], Y[:80], cv=5),
        y_train=Y[:80],
        features=X[80:],
        train_features=X[:80],
        measure="f2",
        average="micro",
    )
    np.testing.assert_array_equal(clf.rank(X[80:]).order, expected.order)
    np.testing.assert_array_equal(clf.predict(X[80:]), clf.scores(X[80:]) >= 0)


def test_it_passes_further_opinions_on():
    X, Y = documents()
    clf = SemiAutomatedClassifier(LinearSVC(), cv=3).fit(X[:80], Y[:80])
    rng = np.random.default_rng(1)
    own, known = (np.where(one, 1.0, -1.0) + rng.normal(size=one.shape) for one in (Y[80:], Y[:80]))
    opinions = {"other": (own, known)}
    side = {
        "oof_scores": clf.oof_scores_,
        "y_train": Y[:80],
        "features": X[80:],
        "train_features": X[:80],
        "opinions": opinions,
    }
    scores = clf.scores(X[80:])
    expected = satc.rank(scores, **side)
    found = clf.rank(X[80:], opinions=opinions)
    np.testing.assert_array_equal(found.utility, expected.utility)
    assert np.abs(found.utility - clf.rank(X[80:]).utility).max() > 1e-3
    decided = clf.decide(X[80:], opinions=opinions)
    np.testing.assert_array_equal(decided.labels, satc.decide(scores, **side).labels)
    simulated = clf.simulate(X[80:], Y[80:], opinions=opinions)
    np.testing.assert_array_equal(
        simulated.value, satc.simulate(scores, Y[80:].astype(bool), **side).value
    )
    assert (
        clf.validation(X[80:], opinions=opinions).next() == satc.Validation(scores, **side).next()
    )


def test_options_of_the_call_come_before_those_of_the_constructor():
    X, Y = documents()
    clf = SemiAutomatedClassifier(LinearSVC(), cv=3).fit(X, Y)
    assert clf.rank(X, method="baseline").documents.model.method.name == "baseline"


def test_validation_and_simulation_start_from_its_scores():
    X, Y = documents()
    clf = SemiAutomatedClassifier(LinearSVC(), cv=3, method="u-theoretic-dynamic").fit(
        X[:80], Y[:80]
    )
    sim = clf.simulate(X[80:], Y[80:])
    v = clf.validation(X[80:])
    for expected in sim.order[:10]:
        assert v.next() == expected
        v.submit(expected, Y[80:][expected])


def test_it_survives_clone_and_pickle():
    X, Y = documents()
    clf = clone(SemiAutomatedClassifier(LinearSVC(C=2), cv=3, measure="kappa")).fit(X, Y)
    assert clf.estimator.C == 2
    again = pickle.loads(pickle.dumps(clf))  # noqa: S301
    np.testing.assert_array_equal(again.rank(X).order, clf.rank(X).order)


def test_it_works_at_the_end_of_a_pipeline_and_around_one():
    X, Y = documents()
    inside = make_pipeline(StandardScaler(), SemiAutomatedClassifier(LinearSVC(), cv=3)).fit(X, Y)
    assert inside.predict(X).shape == Y.shape
    around = SemiAutomatedClassifier(make_pipeline(StandardScaler(), LinearSVC()), cv=3).fit(X, Y)
    np.testing.assert_array_equal(inside.predict(X), around.predict(X))


def test_it_takes_texts():
    texts = ["good wine", "bad wine", "good beer", "bad beer"] * 8
    labels = ["yes", "no", "yes", "no"] * 8
    clf = SemiAutomatedClassifier(make_pipeline(TfidfVectorizer(), LinearSVC()), cv=4)
    assert clf.fit(texts, labels).predict(["good", "bad"]).tolist() == ["yes", "no"]


def test_it_can_be_searched_over():
    X, Y = documents()
    search = GridSearchCV(
        SemiAutomatedClassifier(LinearSVC(), cv=3), {"estimator__C": [0.01, 1]}, cv=2
    )
    assert search.fit(X, Y).best_params_["estimator__C"] in (0.01, 1)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def weighted(**requested):
    return LogisticRegression().set_fit_request(**requested)


def test_weights_reach_the_classifier_in_every_fold(routing):
    X, Y = documents()
    weights = np.random.default_rng(0).uniform(0.1, 3, len(X))
    clf = SemiAutomatedClassifier(weighted(sample_weight=True), cv=4).fit(
        X, Y, sample_weight=weights
    )
    for j in range(Y.shape[1]):
        alone = LogisticRegression().fit(X, Y[:, j], sample_weight=weights)
        np.testing.assert_allclose(clf.scores(X)[:, j], alone.decision_function(X))
    for train, test in KFold(4, shuffle=True, random_state=0).split(X):
        alone = LogisticRegression().fit(X[train], Y[train, 1], sample_weight=weights[train])
        np.testing.assert_allclose(clf.oof_scores_[test, 1], alone.decision_function(X[test]))


def test_weights_reach_the_last_step_of_a_pipeline_whose_features_stay_shared(routing):
    X, Y = documents()
    weights = np.random.default_rng(0).uniform(0.1, 3, len(X))
    pipeline = make_pipeline(
        StandardScaler().set_fit_request(sample_weight=False), weighted(sample_weight=True)
    )
    clf = SemiAutomatedClassifier(pipeline, cv=3).fit(X, Y, sample_weight=weights)
    assert clf.scorer_.transformer is not None
    alone = clone(pipeline).fit(X, Y[:, 0], sample_weight=weights)
    np.testing.assert_allclose(clf.scores(X)[:, 0], alone.decision_function(X))


def test_weights_reach_every_step_that_requests_them(routing):
    X, Y = documents()
    weights = np.random.default_rng(0).uniform(0.1, 3, len(X))
    pipeline = make_pipeline(
        StandardScaler().set_fit_request(sample_weight=True), weighted(sample_weight=True)
    )
    clf = SemiAutomatedClassifier(pipeline, cv=3).fit(X, Y, sample_weight=weights)
    alone = clone(pipeline).fit(X, Y[:, 0], sample_weight=weights)
    np.testing.assert_allclose(clf.scores(X)[:, 0], alone.decision_function(X))


def test_groups_reach_the_splitter(routing):
    X, Y = documents()
    groups = np.arange(len(X)) % 6
    clf = SemiAutomatedClassifier(LinearSVC(), cv=GroupKFold(3)).fit(X, Y, groups=groups)
    folds = list(GroupKFold(3).split(X, Y, groups))
    expected = satc.out_of_fold_scores(LinearSVC(), X, Y, cv=folds)
    np.testing.assert_array_equal(clf.oof_scores_, expected)
    again = satc.out_of_fold_scores(LinearSVC(), X, Y, cv=GroupKFold(3), groups=groups)
    np.testing.assert_array_equal(again, expected)


def test_metadata_that_nobody_requests_is_refused(routing):
    X, Y = documents()
    weights = np.ones(len(X))
    with pytest.raises(TypeError, match=r"got unexpected argument.*colour"):
        SemiAutomatedClassifier(LinearSVC(), cv=3).fit(X, Y, colour=weights)
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        SemiAutomatedClassifier(LinearSVC(), cv=3).fit(X, Y, sample_weight=weights)


def test_a_search_routes_weights_through_it(routing):
    X, Y = documents()
    clf = SemiAutomatedClassifier(weighted(sample_weight=True), cv=3)
    search = GridSearchCV(clf, {"estimator__C": [0.1, 1]}, cv=2)
    search.fit(X, Y, sample_weight=np.ones(len(X)))
    assert search.best_estimator_.oof_scores_.shape == Y.shape


def test_metadata_needs_routing():
    X, Y = documents()
    with pytest.raises(ValueError, match=r"fit takes 'sample_weight' only with .* routing"):
        SemiAutomatedClassifier(LinearSVC(), cv=3).fit(X, Y, sample_weight=np.ones(len(X)))


@pytest.mark.parametrize(("cv", "said"), [(3, "such as GroupKFold"), ([([0], [1])], "left out")])
def test_groups_need_a_splitter_that_uses_them(cv, said):
    X, Y = documents()
    with pytest.raises(ValueError, match=said):
        satc.out_of_fold_scores(LinearSVC(), X, Y, cv=cv, groups=np.arange(len(X)))


def test_tags_say_what_the_classifier_inside_can_do():
    for inside in (LinearSVC(), HistGradientBoostingClassifier()):
        tags = get_tags(SemiAutomatedClassifier(inside))
        assert tags.classifier_tags.multi_label
        assert tags.input_tags == get_tags(inside).input_tags


def flowers():
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(0, 0.5, X.shape)
    return SemiAutomatedClassifier(LogisticRegression(max_iter=500), cv=5).fit(X[::2], y[::2]), X, y


def test_with_one_label_per_document_the_task_is_single_label():
    clf, X, y = flowers()
    ranking = clf.rank(X)
    assert ranking.documents.model.task == "single-label"
    np.testing.assert_array_equal(ranking.documents.decided.argmax(axis=1), clf.predict(X))
    np.testing.assert_allclose(ranking.probability.sum(axis=1), 1)
    np.testing.assert_array_equal(clf.predict(X), clf.scores(X).argmax(axis=1))
    assert clf.simulate(X, y).error_reduction[-1] == 1
    assert (clf.decide(X).labels.sum(axis=1) == 1).all()
    validation = clf.validation(X)
    with pytest.raises(ValueError, match="exactly one label"):
        validation.submit(validation.next(), [True, True, False])


def test_it_ranks_one_label_per_document_as_rank_does_on_its_scores():
    clf, X, y = flowers()
    expected = satc.rank(
        clf.scorer_.scores(X),
        oof_scores=satc.out_of_fold_scores(
            LogisticRegression(max_iter=500), X[::2], np.eye(3)[y[::2]], cv=5
        ),
        y_train=np.eye(3)[y[::2]],
        features=X,
        train_features=X[::2],
        task="single-label",
    )
    np.testing.assert_array_equal(clf.rank(X).order, expected.order)


def test_the_task_of_a_call_comes_before_that_of_the_labels():
    clf, X, _ = flowers()
    assert clf.rank(X, task="multi-label").documents.model.task == "multi-label"


def test_two_classes_are_one_column_of_scores():
    X, y = load_iris(return_X_y=True)
    clf = SemiAutomatedClassifier(LogisticRegression(), cv=5).fit(X, y == 1)
    assert clf.scores(X).shape == (150, 1)
    assert clf.rank(X).documents.model.task == "multi-label"


def test_frames_and_sparse_labels_are_taken():
    X, Y = documents()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    clf = SemiAutomatedClassifier(LogisticRegression(), cv=3).fit(frame, sparse.csr_matrix(Y))
    assert clf.feature_names_in_.tolist() == list("abcdef")
    assert clf.classes_.tolist() == [0, 1, 2, 3]
    assert clf.predict(frame).shape == Y.shape


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((4, 1)), [0, 0, 0, 0], "y must have two classes or more, but has 1 class"),
        (
            np.zeros((4, 1)),
            [[0, 1], [2, 0], [0, 0], [1, 1]],
            r"y must hold 0 and 1 only, but y\[1, 0\] is 2",
        ),
        (
            np.zeros((3, 1)),
            [0, 1, 0, 1],
            "y must have as many rows as X has documents, 3, but has 4",
        ),
    ],
)
def test_bad_labels_are_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        SemiAutomatedClassifier(LinearSVC(), cv=2).fit(X, y)
