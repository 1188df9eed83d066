import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import satc
from made import make

NAMES = ("wheat", "corn", "oil", "tin", "tea")
OTHER = ("tea", "oil", "wheat", "tin", "corn")


def pandas_frame(array, order):
    return pd.DataFrame(array, columns=list(NAMES))[list(order)]


def polars_frame(array, order):
    return pl.DataFrame(array, schema=list(NAMES)).select(order)


def arrow_table(array, order):
    return pa.table({name: array[:, NAMES.index(name)] for name in order})


KINDS = pytest.mark.parametrize("frame", [pandas_frame, polars_frame, arrow_table])


@KINDS
@pytest.mark.parametrize("method", ["u-theoretic", "baseline", "contextual"])
def test_columns_in_another_order_do_not_change_a_ranking(frame, method):
    made = make()
    expected = satc.rank(made.scores, **made.training, method=method).utility
    found = satc.rank(
        frame(made.scores, NAMES),
        oof_scores=frame(made.oof_scores, OTHER),
        y_train=frame(made.y_train, sorted(NAMES)),
        method=method,
    )
    np.testing.assert_allclose(found.utility, expected, rtol=1e-9)


@KINDS
def test_the_order_of_the_classes_is_that_of_the_scores(frame):
    made = make()
    expected = satc.rank(made.scores, **made.training).probability
    training = {
        "oof_scores": frame(made.oof_scores, NAMES),
        "y_train": frame(made.y_train, NAMES),
    }
    found = satc.rank(frame(made.scores, OTHER), **training).probability
    places = [NAMES.index(name) for name in OTHER]
    np.testing.assert_allclose(found, expected[:, places], rtol=1e-6)


@KINDS
def test_decide_and_simulate_match_columns_by_name(frame):
    made = make()
    given = {
        "oof_scores": frame(made.oof_scores, OTHER),
        "y_train": frame(made.y_train, NAMES),
        "method": "u-theoretic",
    }
    plain = {**made.training, "method": "u-theoretic"}
    decided = satc.decide(frame(made.scores, NAMES), **given)
    assert (decided.labels == satc.decide(made.scores, **plain).labels).all()
    sim = satc.simulate(frame(made.scores, NAMES), frame(made.y_true, OTHER), **given)
    expected = satc.simulate(made.scores, made.y_true, **plain)
    np.testing.assert_array_equal(sim.error_reduction, expected.error_reduction)


def test_a_validation_takes_labels_by_name():
    made = make()
    v = satc.Validation(
        pandas_frame(made.scores, NAMES), **made.training, method="u-theoretic-dynamic"
    )
    v.submit(3, pd.Series([1, 0, 0, 0, 0], index=list(OTHER)))
    v.submit(4, pl.DataFrame([[1, 0, 0, 0, 0]], schema=list(OTHER), orient="row"))
    expected = np.array(NAMES) == "tea"
    assert (v.labels[3] == expected).all()
    assert (v.labels[4] == expected).all()


def test_known_labels_and_weights_are_matched_by_name():
    made = make()
    scores = pandas_frame(made.scores, NAMES)
    weights = pd.Series([5.0, 4.0, 3.0, 2.0, 1.0], index=list(OTHER))
    in_order = weights[list(NAMES)].to_numpy()
    found = satc.rank(scores, **made.training, class_weights=weights, error_costs=(weights, 1.0))
    expected = satc.rank(
        made.scores, **made.training, class_weights=in_order, error_costs=(in_order, 1.0)
    )
    np.testing.assert_allclose(found.utility, expected.utility, rtol=1e-9)
    known = {7: pd.Series([1, 0, 0, 0, 0], index=list(OTHER))}
    decided = satc.decide(scores, **made.training, known=known)
    assert (decided.labels[7] == (np.array(NAMES) == "tea")).all()


@KINDS
def test_opinions_and_features_are_matched_by_name(frame):
    made = make()
    rng = np.random.default_rng(0)
    features, known = rng.random((60, 5)), rng.random((300, 5))
    second = made.scores + 0.1, made.oof_scores - 0.1
    expected = satc.rank(
        made.scores,
        **made.training,
        features=features,
        train_features=known,
        opinions={"second": second},
    )
    found = satc.rank(
        frame(made.scores, NAMES),
        **made.training,
        features=np.asarray(frame(features, NAMES))
        if frame is arrow_table
        else frame(features, NAMES),
        train_features=known if frame is arrow_table else frame(known, OTHER),
        opinions={"second": (frame(second[0], OTHER), frame(second[1], sorted(NAMES)))},
    )
    np.testing.assert_allclose(found.utility, expected.utility, rtol=1e-6)


def test_a_training_object_has_the_names_of_its_frames():
    made = make()
    training = satc.Training(
        pandas_frame(made.oof_scores, OTHER), polars_frame(made.y_train, NAMES)
    )
    assert training.class_names == OTHER
    found = satc.rank(pandas_frame(made.scores, NAMES), training=training, method="u-theoretic")
    expected = satc.rank(made.scores, **made.training, method="u-theoretic")
    np.testing.assert_allclose(found.utility, expected.utility, rtol=1e-9)


def test_other_names_are_refused_with_the_names():
    made = make()
    other = pandas_frame(made.oof_scores, NAMES).rename(columns={"corn": "maize"})
    with pytest.raises(ValueError, match=r"oof_scores must have the columns .*'corn' is missing"):
        satc.rank(pandas_frame(made.scores, NAMES), oof_scores=other, y_train=made.y_train)


def test_a_name_that_stands_twice_is_refused():
    made = make()
    twice = pandas_frame(made.oof_scores, NAMES)
    twice.columns = ["wheat", "wheat", "oil", "tin", "tea"]
    with pytest.raises(ValueError, match="each once"):
        satc.rank(pandas_frame(made.scores, NAMES), oof_scores=twice, y_train=made.y_train)


def test_frames_with_numbered_columns_are_taken_by_position():
    made = make()
    expected = satc.rank(made.scores, **made.training, method="u-theoretic").utility
    for frame in (pd.DataFrame, pl.DataFrame):
        found = satc.rank(
            pandas_frame(made.scores, NAMES),
            oof_scores=frame(made.oof_scores),
            y_train=made.y_train,
            method="u-theoretic",
        )
        np.testing.assert_array_equal(found.utility, expected)


def test_numbered_columns_in_another_order_are_matched_by_number():
    made = make()
    expected = satc.rank(made.scores, **made.training, method="u-theoretic").utility
    found = satc.rank(
        pd.DataFrame(made.scores),
        oof_scores=pd.DataFrame(made.oof_scores)[[4, 2, 0, 1, 3]],
        y_train=made.y_train,
        method="u-theoretic",
    )
    np.testing.assert_allclose(found.utility, expected, rtol=1e-9)


def test_the_classifier_matches_true_labels_by_name():
    made = make()
    X, Y = made.oof_scores, pandas_frame(made.y_train.astype(int), NAMES)
    clf = satc.SemiAutomatedClassifier(LogisticRegression(), cv=3, method="u-theoretic").fit(X, Y)
    plain = clf.simulate(made.scores, made.y_true).error_reduction
    found = clf.simulate(made.scores, pandas_frame(made.y_true, OTHER)).error_reduction
    np.testing.assert_array_equal(found, plain)
    with pytest.raises(ValueError, match="y must have the columns"):
        clf.simulate(made.scores, pandas_frame(made.y_true, NAMES).rename(columns={"tea": "x"}))


def test_error_reduction_and_shares_match_columns_by_name():
    made = make()
    scores, truth = pandas_frame(made.scores, NAMES), pandas_frame(made.y_true, OTHER)
    order = np.arange(60)
    found = satc.evaluation.error_reduction(order, scores, truth).er
    expected = satc.evaluation.error_reduction(order, made.scores, made.y_true).er
    np.testing.assert_array_equal(found, expected)
    p = pandas_frame(1 / (1 + np.exp(-made.scores)), NAMES)
    shares = satc.shares(p, order[:30], truth[:30])
    plain = satc.shares(p.to_numpy(), order[:30], made.y_true[:30])
    np.testing.assert_array_equal(shares.share, plain.share)


@pytest.mark.parametrize("name", ["scores", "oof_scores", "y_train", "y_true", "features"])
def test_masked_elements_are_refused(name):
    made = make()
    rng = np.random.default_rng(0)
    given = {
        "scores": made.scores,
        "y_true": made.y_true,
        **made.training,
        "features": rng.random((60, 4)),
        "train_features": rng.random((300, 4)),
    }
    masked = np.ma.masked_array(given[name], mask=False)
    expected = satc.rank(**given).utility
    np.testing.assert_array_equal(satc.rank(**{**given, name: masked}).utility, expected)
    masked[2, 1] = np.ma.masked
    with pytest.raises(ValueError, match=f"{name} must have no masked elements, but has 1"):
        satc.rank(**{**given, name: masked})


def test_masked_opinions_weights_and_rows_are_refused():
    made = make()
    masked = np.ma.masked_greater(made.scores, 1.0)
    with pytest.raises(ValueError, match=r"opinions\['x'\] must have no masked"):
        satc.rank(made.scores, **made.training, opinions={"x": masked})
    weights = np.ma.masked_array(np.ones(5), mask=[1, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="class_weights must have no masked"):
        satc.rank(made.scores, **made.training, class_weights=weights)
    with pytest.raises(ValueError, match="scores must have no masked"):
        satc.rank(list(masked), **made.training)


def test_the_classifier_refuses_masked_documents_and_labels():
    made = make()
    clf = satc.SemiAutomatedClassifier(LogisticRegression(), cv=3)
    with pytest.raises(ValueError, match="X must have no masked"):
        clf.fit(np.ma.masked_less(made.oof_scores, 0.0), made.y_train)
    with pytest.raises(ValueError, match="y must have no masked"):
        clf.fit(made.oof_scores, np.ma.masked_equal(made.y_train.astype(int), 1))
