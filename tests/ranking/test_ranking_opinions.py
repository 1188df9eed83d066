"""Opinions in `rank`, `decide`, `simulate`, `Validation` and the classifier."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import satc
from satc.predictions.opinions import parse_opinions


@pytest.fixture(scope="module")
def made():
    """Scores and two opinions of 300 training documents and 300 others, and their labels."""
    rng = np.random.default_rng(0)
    labels = rng.random((600, 4)) < np.array([0.4, 0.3, 0.2, 0.1])
    sign = np.where(labels, 1.0, -1.0)
    scores, second = (sign + rng.normal(0, 1.5, labels.shape) for _ in range(2))
    llm = labels ^ (rng.random(labels.shape) < 0.1)
    return scores, second, llm, labels


def options_of(made, *names):
    scores, second, llm, labels = made
    known = {"second": (second[300:], second[:300]), "llm": llm[300:]}
    given = {"oof_scores": scores[:300], "y_train": labels[:300]}
    return given | ({"opinions": {name: known[name] for name in names}} if names else {})


def value(made, *names, **options):
    scores, _, _, labels = made
    given = options_of(made, *names) | {"decide": "measure"} | options
    return satc.simulate(scores[300:], labels[300:], **given)


@pytest.mark.parametrize("method", ["contextual", "contextual-dynamic"])
def test_each_opinion_raises_the_start_and_saves_work(made, method):
    alone = value(made, method=method)
    for names in (["second"], ["llm"], ["second", "llm"]):
        told = value(made, *names, method=method)
        assert told.value[0] > alone.value[0] + 0.03
        assert told.documents_for(0.95) < alone.documents_for(0.95)


def test_all_functions_take_the_same_opinions(made):
    scores, _, _, _ = made
    options = options_of(made, "second", "llm") | {"decide": "measure"}
    ranking = satc.rank(scores[300:], **options)
    decided = satc.decide(scores[300:], **options)
    np.testing.assert_array_equal(decided.labels, ranking.documents.decided)
    validation = satc.Validation(scores[300:], **options, method="contextual")
    assert validation.next() == ranking.order[0]
    accuracy = satc.Validation(scores[300:], **options).accuracy()
    assert 0.0 < accuracy.low < accuracy.value < accuracy.high <= 1.0
    assert abs(accuracy.value - value(made, "second", "llm").value[0]) < 0.1


def test_the_classifier_takes_opinions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    labels = (X @ rng.normal(size=(6, 3)) + rng.normal(0, 2, (400, 3))) > 0
    llm = labels ^ (rng.random(labels.shape) < 0.1)
    classifier = satc.SemiAutomatedClassifier(LogisticRegression(), cv=5).fit(X[:200], labels[:200])
    given = {"opinions": {"llm": llm[200:]}}
    alone = classifier.simulate(X[200:], labels[200:], decide="measure")
    told = classifier.simulate(X[200:], labels[200:], decide="measure", **given)
    assert told.value[0] > alone.value[0] + 0.05
    assert classifier.rank(X[200:], **given).order.shape == (200,)


def test_an_explanation_says_what_each_opinion_says(made):
    scores, _, llm, _ = made
    ranking = satc.rank(scores[300:], **options_of(made, "second", "llm"))
    for one in ranking.explain(5):
        assert set(one.context.opinions) == {"second", "llm"}
        assert (one.context.opinions["llm"] > 0) == llm[305, one.class_index]


def test_missing_opinions_are_rows_of_nan(made):
    scores, second, _, labels = made
    some = second[300:].copy()
    some[::2] = np.nan
    given = {"oof_scores": scores[:300], "y_train": labels[:300]}
    told = satc.rank(scores[300:], **given, opinions={"second": (some, second[:300])})
    alone = satc.rank(scores[300:], **given)
    changed = np.abs(told.probability - alone.probability).max(axis=1)
    assert changed[1::2].min() > changed[::2].max() / 10  # the model changes for all, a little
    assert np.isfinite(told.probability).all()


def test_kinds_of_opinions():
    probabilities = parse_opinions({"p": [[0.9, 0.2]]}, (1, 2)).documents["p"]
    np.testing.assert_allclose(probabilities, np.log([[9.0, 0.25]]))
    labels = parse_opinions({"l": np.array([[True, False]])}, (1, 2)).documents["l"]
    np.testing.assert_array_equal(labels, [[1.0, -1.0]])
    both = parse_opinions({"b": ([[1, 0]], [[0.5, 0.25]])}, (1, 2), (1, 2))
    np.testing.assert_allclose(both.training["b"], np.log([[1.0, 1 / 3]]))
    missing = parse_opinions({"m": [[np.nan, 1.0], [0.0, 1.0]]}, (2, 2)).documents["m"]
    np.testing.assert_array_equal(missing, [[np.nan, np.nan], [-1.0, 1.0]])


@pytest.mark.parametrize(
    ("opinions", "error", "message"),
    [
        ([[1.0]], TypeError, "opinions must map a name"),
        ({"": [[1.0, 2.0]]}, ValueError, "name of an opinion"),
        ({"a": [[1.0]]}, ValueError, r"opinions\['a'\] must have the shape"),
        ({"a": [["x", "y"]]}, ValueError, r"opinions\['a'\] must be an array of numbers"),
        ({"a": [[np.nan, 1.0]]}, ValueError, "opinion on some documents, but holds none"),
        ({"a": ([[1.0, 2.0]], [[1.0, 2.0]])}, ValueError, "oof_scores and y_train are not given"),
    ],
)
def test_what_cannot_be_an_opinion_is_refused(opinions, error, message):
    with pytest.raises(error, match=message):
        parse_opinions(opinions, (1, 2))


def test_a_cold_start_hears_opinions(made):
    scores, _, llm, labels = made
    alone = satc.simulate(scores[300:], labels[300:])
    told = satc.simulate(scores[300:], labels[300:], opinions={"llm": llm[300:]})
    assert told.ener(0.1) > alone.ener(0.1)


@pytest.mark.parametrize("seed", range(3))
def test_opinions_by_chance_do_not_hurt(made, seed):
    scores, _, _, _ = made
    rng = np.random.default_rng(seed)
    given = options_of(made) | {"decide": "measure"}
    trained = {"chance": (rng.normal(size=(300, 4)), rng.normal(size=(300, 4)))}
    untrained = {"chance": rng.random((300, 4)) < 0.3}
    alone = satc.rank(scores[300:], **given).probability
    with_trained = satc.rank(scores[300:], **given, opinions=trained).probability
    np.testing.assert_array_equal(alone, with_trained)
    with_untrained = satc.rank(scores[300:], **given, opinions=untrained).probability
    np.testing.assert_array_equal(alone, with_untrained)
