"""Stored predictions of every kind are ranked as those in memory."""

import numpy as np
import pyarrow as pa
import pytest
from decided_made import check_decided, under_cuts
from one_label_made import check_single
from predicted_made import CASES, MULTI, SINGLE, predicted
from stored_made import check_same, classes_of

import satc
from satc import scale
from satc.errors import DataError


def _stored(engine, given, **changes):
    table = engine.temporary_table(given.table)
    return scale.stored_predictions(engine, table, **given.options | changes)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize(("kind", "task", "form"), CASES)
def test_predictions_have_the_order_of_memory(engine, kind, task, form, method):
    given = predicted(kind, task, form)
    options = {**given.made.training, "task": task, "method": method}
    found = scale.rank(_stored(engine, given), **options)
    check_same(found, satc.rank(given.made.scores, **options))


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize(("kind", "task", "form"), [CASES[0], CASES[2], CASES[5], CASES[6]])
def test_labels_are_chosen_for_the_measure_as_in_memory(engine, kind, task, form, method):
    given = predicted(kind, task, form)
    stored = _stored(engine, given)
    if task == SINGLE:
        check_single(stored, given.made, method=method, decide="measure")
        return
    found = scale.rank(stored, **given.made.training, method=method, decide="measure")
    memory = under_cuts(given.made, found.cuts, method=method)
    check_decided(found, memory)
    check_same(found, memory)


@pytest.mark.parametrize(("kind", "task", "form"), CASES)
def test_scores_are_those_of_memory(engine, kind, task, form):
    given = predicted(kind, task, form)
    stored = _stored(engine, given)
    rows = engine.run(stored.pairs.order_by("document", "class"))
    scores = rows["score"].to_numpy().reshape(given.made.scores.shape)
    np.testing.assert_allclose(scores, given.made.scores, atol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.7])
def test_a_probability_that_equals_the_threshold_is_a_label(engine, kind, threshold):
    values = np.array([threshold, 0.0, 1.0], dtype=kind)
    table = engine.temporary_table(pa.table({"document": ["a", "b", "c"], "c0": values}))
    found = scale.stored_predictions(
        engine, table, kind="probabilities", classes=["c0"], threshold=threshold
    )
    scores = engine.run(found.table.order_by("document"))["c0"].to_numpy()
    assert (scores >= 0).tolist() == [True, False, True]
    assert scores[0] < 1e-9
    assert np.isfinite(scores).all()


def test_a_document_with_an_impossible_probability_is_named(engine):
    given = predicted("probabilities", MULTI, "long")
    wrong = given.table["probability"].to_numpy().copy()
    wrong[12] = 1.5
    given = given._replace(table=given.table.set_column(2, "probability", pa.array(wrong)))
    for method in ("u-theoretic", "contextual"):
        ranking = scale.rank(_stored(engine, given), **given.made.training, method=method)
        with pytest.raises(DataError, match=r"'d00002' has nan for class 'c2'"):
            ranking.top(3)


def test_pairs_without_a_probability_are_negative_with_the_stated_confidence(engine):
    given = predicted("probabilities", MULTI, "long")
    some = given.table.filter(pa.compute.greater(given.table["probability"], 0.05))
    found = _stored(engine, given._replace(table=some), absent=4.0, threshold=0.5)
    assert found.absent == 4.0
    assert len(scale.rank(found, **given.made.training, method="u-theoretic").top(9)) == 9


def test_labels_outside_the_classes_are_refused(engine):
    table = pa.table({"document": ["a"], "labels": [["c0", "other"]]})
    with pytest.raises(DataError, match="one is 'other'"):
        scale.stored_predictions(
            engine, engine.temporary_table(table), kind="labels", classes=classes_of(2)
        )


def test_two_labels_are_refused_where_one_is_needed(engine):
    table = pa.table({"document": ["a", "b"], "labels": [["c0"], ["c0", "c1"]]})
    with pytest.raises(DataError, match="document 'b' has none or several"):
        scale.stored_predictions(
            engine,
            engine.temporary_table(table),
            kind="labels",
            classes=classes_of(2),
            task=SINGLE,
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "guesses"}, "kind must be one of scores, probabilities, logits, labels"),
        ({"threshold": 1.0}, "threshold must be above 0 and below 1"),
        ({"kind": "labels", "threshold": 0.3}, "threshold is for probabilities and logits"),
        ({"kind": "labels", "threshold": 0.5, "absent": 1.0}, "absent must be left out"),
    ],
)
def test_options_that_do_not_fit_are_refused(engine, changes, message):
    with pytest.raises(ValueError, match=message):
        _stored(engine, predicted("probabilities", MULTI, "long"), **changes)


@pytest.mark.parametrize("kind", ["probabilities", "labels"])
def test_columns_that_are_missing_are_named(engine, kind):
    rows = pa.table({"document": ["a"], "class": ["c0"], "value": [0.5]})
    table = engine.temporary_table(rows)
    with pytest.raises(DataError, match="but have document, class, value"):
        scale.stored_predictions(engine, table, kind=kind, classes=["c0"])
