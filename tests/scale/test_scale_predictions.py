"""Stored predictions of every kind are ranked as those in memory."""

import re

import numpy as np
import pyarrow as pa
import pytest
from decided_made import check_decided, under_cuts
from one_label_made import check_single
from predicted_made import CASES, DECIDED, MULTI, SINGLE, THRESHOLDS, predicted
from stored_made import check_same, classes_of, ids_of

import satc
from satc import scale
from satc.errors import DataError
from satc.scale.predictions.columns import classes_of_predictions, kind_of_columns
from satc.scale.predictions.known import fetch_known, without_documents


def _stored(engine, given, **changes):
    table = engine.temporary_table(given.table)
    return scale.stored_predictions(engine, table, **given.options | changes)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize(("kind", "task", "form"), CASES)
def test_predictions_have_the_order_of_memory(engine, kind, task, form, method):
    given = predicted(kind, task, form)
    options = {**given.made.training, "task": task, **given.options_of(method)}
    found = scale.rank(_stored(engine, given), **options)
    check_same(found, satc.rank(given.made.scores, **options))


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize(("kind", "task", "form"), DECIDED)
def test_labels_are_chosen_for_the_measure_as_in_memory(engine, kind, task, form, method):
    given = predicted(kind, task, form)
    stored = _stored(engine, given)
    if task == SINGLE:
        check_single(stored, given.made, **given.options_of(method), decide="measure")
        return
    options = given.options_of(method)
    found = scale.rank(stored, **given.made.training, **options, decide="measure")
    memory = under_cuts(given.made, found.cuts, **options)
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


LISTS = pa.list_(pa.string())


def _open(engine, kind, task, columns):
    """Open a small table of predictions of two classes."""
    lists = {name: pa.array(one, LISTS) for name, one in columns.items() if "labels" in name}
    table = engine.temporary_table(pa.table(columns | lists))
    return scale.stored_predictions(engine, table, kind=kind, classes=classes_of(2), task=task)


ONCE = {"document": ["a", "b"]}
TWICE = {"document": ["a", "a"]}
BY_VOTER = {"document": ["a", "a"], "voter": ["anna", "ben"]}


@pytest.mark.parametrize(
    ("kind", "columns", "message"),
    [
        ("labels", {**ONCE, "labels": [["c0", "other"], []]}, "one is 'other', of document 'a'"),
        ("labels", {**ONCE, "label": ["c0", "other"]}, "one is 'other', of document 'b'"),
        ("labels", {**TWICE, "labels": [["c0"], ["c0"]]}, "document 'a' has 2"),
        ("labels", {**TWICE, "label": ["c0", "c1"]}, "one row for each document, but document 'a'"),
        ("votes", {**BY_VOTER, "label": ["c0", "other"]}, "one is 'other', of document 'a'"),
        ("votes", {**BY_VOTER, "class": ["c0", "other"]}, "one is 'other', of document 'a'"),
        ("votes", {**ONCE, "labels_anna": [["c0"], ["other"]]}, "one is 'other', of document 'b'"),
        ("votes", {**BY_VOTER, "voter": ["anna"] * 2, "label": ["c0", "c1"]}, "2 rows of voter"),
        ("votes", {**BY_VOTER, "voter": ["anna"] * 2, "class": ["c0", "c0"]}, "2 rows of voter"),
        ("votes", {**BY_VOTER, "voter": ["anna"] * 2, "class": ["c0", None]}, "2 rows of voter"),
        (
            "votes",
            {**BY_VOTER, "voter": ["anna", None], "class": ["c0", "c1"]},
            "of document 'a' h",
        ),
        ("votes", {**TWICE, "label_anna": ["c0", "c1"]}, "document 'a' has 2"),
        ("votes", {**ONCE, "label_anna": ["c0", ""], "label_ben": ["c1", None]}, "'b' has none"),
        ("confidences", {**ONCE, "label": ["c0", "other"], "confidence": [0.5, 0.5]}, "'other'"),
        ("confidences", {**ONCE, "class": ["c0", "other"], "confidence": [0.5, 0.5]}, "'other'"),
        ("confidences", {**TWICE, "label": ["c0", "c1"], "confidence": [0.5, 0.5]}, "'a' has 2"),
        ("confidences", {**TWICE, "class": ["c0", "c0"], "confidence": [0.5, 0.5]}, "'a' has 2"),
        ("confidences", {**TWICE, "class": ["c0", None], "confidence": [0.5, 0.5]}, "'a' has 2"),
        ("confidences", {**ONCE, "label": ["c0", None], "confidence": [0.5, 0.5]}, "'b' has null"),
        ("confidences", {**ONCE, "label": ["c0", "c1"], "confidence": [0.5, 1.5]}, "'b' has '1.5'"),
        ("confidences", {**ONCE, "label": ["c0", "c1"], "confidence": [0.5, None]}, "has 'null'"),
        ("confidences", {**ONCE, "class": ["c0", "c1"], "confidence": ["high", "sure"]}, "'sure'"),
        (
            "confidences",
            {**ONCE, "labels": [["c0"], ["c0", "c1"]], "confidences": [[0.5], [0.5, 0.6, 0.7]]},
            "document 'b' has another number",
        ),
        (
            "confidences",
            {**ONCE, "labels": [["c0"], ["c0", "c1"]], "confidences": [[0.5], [0.5, 3.0]]},
            "document 'b' has '0.5, 3.0'",
        ),
        ("confidences", {**ONCE, "label": ["c0"] * 2, "confidence": [[0.5], [0.6]]}, "holds lists"),
        ("confidences", {**ONCE, "label": ["c0"] * 2, "probabilities": [{"x": 0.5}, {}]}, "is 'x'"),
        (
            "confidences",
            {**ONCE, "label": ["c0"] * 2, "probabilities": [{"c0": 0.5}, {"c0": 2.0}]},
            "document 'b' has 'a number outside 0 to 1'",
        ),
        (
            "confidences",
            {**ONCE, "label": ["c0"] * 2, "probabilities": [{"c0": 0.5}, None]},
            "document 'b' has 'null'",
        ),
        (
            "confidences",
            {
                **ONCE,
                "label": ["c0"] * 2,
                "probabilities": [[{"label": "c0", "score": 0.5}] * 2] * 2,
            },
            "has another number of them",
        ),
        ("labels", {**ONCE, "label": [1, 2]}, "must hold names or lists of names, but holds int64"),
    ],
)
def test_labels_that_cannot_be_are_refused_in_one_line(engine, kind, columns, message):
    with pytest.raises(DataError, match=re.escape(message)) as error:
        _open(engine, kind, MULTI, columns)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("labels", {**ONCE, "labels": [["c0"], ["c0", "c1"]]}),
        ("labels", {**ONCE, "labels": [["c0"], []]}),
        ("votes", {**ONCE, "labels_anna": [["c0"], []]}),
        (
            "votes",
            {"document": ["a", "b", "b"], "voter": ["anna"] * 3, "class": ["c0", "c0", "c1"]},
        ),
        ("votes", {**ONCE, "voter": ["anna"] * 2, "labels": [["c0"], ["c0", "c1"]]}),
        ("confidences", {**ONCE, "labels": [["c0"], []], "confidence": [0.5, 0.5]}),
        ("confidences", {**ONCE, "class": ["c0", None], "confidence": [0.5, 0.5]}),
    ],
)
def test_a_document_has_one_label_where_one_is_needed(engine, kind, columns):
    with pytest.raises(DataError, match="document 'b' has none or several"):
        _open(engine, kind, SINGLE, columns)


@pytest.mark.parametrize("wrong", [{"c0": 0.9, "c1": 0.6}, {"c0": 0.2, "c1": 0.3}])
def test_probabilities_of_one_label_must_sum_to_1(engine, wrong):
    columns = {**ONCE, "label": ["c0"] * 2, "probabilities": [{"c0": 0.7, "c1": 0.31}, wrong]}
    with pytest.raises(DataError, match="document 'b' has 'probabilities that do not sum to 1'"):
        _open(engine, "confidences", SINGLE, columns)
    _open(engine, "confidences", MULTI, columns)


def test_a_document_that_no_voter_has_seen_cannot_be_ranked(engine):
    given = predicted("votes", MULTI, "labels")
    unseen = pa.Table.from_pylist(
        [{"document": "never seen", "voter": "anna", "labels": None}], given.table.schema
    )
    given = given._replace(table=pa.concat_tables([given.table, unseen]))
    ranking = scale.rank(_stored(engine, given), **given.made.training, method="baseline")
    with pytest.raises(DataError, match="must not be missing, but document 'never seen' has none"):
        ranking.top(3)


def test_thresholds_can_be_named_by_class(engine):
    given = predicted("probabilities", MULTI, "long")
    by_name = dict(zip(classes_of(5), THRESHOLDS, strict=True))
    del by_name["c2"]  # 0.5 is the default
    scores = [
        engine.run(_stored(engine, given, threshold=one).pairs.order_by("document", "class"))
        for one in (THRESHOLDS, by_name)
    ]
    assert scores[0].equals(scores[1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "guesses"}, "kind must be one of scores, probabilities, logits, labels"),
        ({"threshold": 1.0}, "threshold must be above 0 and below 1"),
        ({"kind": "labels", "threshold": 0.3}, "threshold is for probabilities and logits"),
        ({"threshold": [0.5, 0.5]}, "one for each of the 5 classes, but has shape"),
        ({"threshold": {"c9": 0.5}}, "'c9' is none of the classes"),
        ({"kind": "labels", "threshold": 0.5, "absent": 1.0}, "absent must be left out"),
        ({"kind": "votes", "threshold": 0.5, "absent": 1.0}, "absent must be left out for votes"),
    ],
)
def test_options_that_do_not_fit_are_refused(engine, changes, message):
    with pytest.raises(ValueError, match=message):
        _stored(engine, predicted("probabilities", MULTI, "long"), **changes)


@pytest.mark.parametrize("column", ["c0", "probability"])
def test_numbers_that_are_none_are_refused(engine, column):
    names = {} if column == "c0" else {"class": ["c0"]}
    table = engine.temporary_table(pa.table({"document": ["a"], **names, column: [{"c0": 0.5}]}))
    with pytest.raises(DataError, match=r"probabilities must be numbers, .* holds struct"):
        scale.stored_predictions(engine, table, kind="probabilities", classes=["c0"])


@pytest.mark.parametrize("kind", ["probabilities", "labels", "votes", "confidences"])
def test_columns_that_are_missing_are_named(engine, kind):
    rows = pa.table({"document": ["a"], "class": ["c0"], "value": [0.5]})
    table = engine.temporary_table(rows)
    with pytest.raises(DataError, match="but have document, class, value"):
        scale.stored_predictions(engine, table, kind=kind, classes=["c0"])


@pytest.mark.parametrize(("kind", "task", "form"), CASES)
def test_the_columns_tell_kind_and_classes(engine, kind, task, form):
    given = predicted(kind, task, form)
    table = engine.temporary_table(given.table)
    told = kind_of_columns(table.columns)
    assert told == (None if form == "wide" else kind)
    assert classes_of_predictions(engine, table, kind, "|") == tuple(classes_of(5))


@pytest.mark.parametrize(
    "cells",
    [
        [{"c1": 0.2, "c2": 0.1}],
        pa.array([[("c1", 0.2), ("c2", 0.1)]], pa.map_(pa.string(), pa.float64())),
        [[{"label": "c1", "score": 0.2}, {"label": "c2", "score": 0.1}]],
    ],
)
def test_classes_that_only_probabilities_name_are_found(engine, cells):
    rows = pa.table({"document": ["a"], "labels": [["c3"]], "probabilities": cells})
    table = engine.temporary_table(rows)
    assert classes_of_predictions(engine, table, "confidences", "|") == ("c1", "c2", "c3")


@pytest.mark.parametrize(("kind", "task", "form"), [CASES[0], CASES[1], CASES[5]])
def test_known_documents_are_fetched_and_left_out(engine, kind, task, form):
    given = predicted(kind, task, form)
    stored = _stored(engine, given)
    ids = ["d00007", "d00003"]
    np.testing.assert_allclose(fetch_known(stored, ids), given.made.scores[[7, 3]], atol=1e-12)
    others = without_documents(stored, ids)
    left = engine.run(others.pairs.select("document").distinct())["document"].to_pylist()
    assert set(left) == set(ids_of(200)) - set(ids)
    with pytest.raises(DataError, match="must have one of document 'zz', but have none"):
        fetch_known(stored, [*ids, "zz"])


def test_known_documents_may_have_numbers_for_ids(engine):
    table = pa.table({"document": [1, 2], "c0": [0.5, None]})
    stored = scale.stored_scores(engine, engine.temporary_table(table))
    assert fetch_known(stored, ["1"]).tolist() == [[0.5]]
    with pytest.raises(DataError, match="but document 2 has none for class 'c0'"):
        fetch_known(stored, ["2"])
