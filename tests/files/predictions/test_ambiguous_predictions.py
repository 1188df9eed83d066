"""Predictions that could be read in two ways are read in the one that is meant, or refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from satc.errors import DataError, SatcWarning
from satc.files.predictions import (
    read_prediction_set,
    read_predictions,
    read_thresholds,
    read_with_matrices,
)

SINGLE, MULTI = "single-label", "multi-label"


def refused(*arguments, **options):
    """Return the message of the error, which is one line."""
    with pytest.raises(DataError) as caught:
        read_predictions(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


FIRST = '{"id": "a", "probabilities": {"fee": 0.8, "refund": 0.1}}'


@pytest.mark.parametrize("second", ["fee", "fee "])
@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_a_class_twice_in_json_is_refused_with_its_place(write, second, ending):
    row = f'{{"id": "b", "probabilities": {{"fee": 0.8, "{second}": 0.1}}}}'
    content = f"{FIRST}\n{row}\n" if ending == "jsonl" else f"[{FIRST}, {row}]"
    message = refused(write(content, f"p.{ending}"))
    assert message.startswith(f"p.{ending}, {'line' if ending == 'jsonl' else 'item'} 2")
    assert "twice" in message
    assert "'fee'" in message


def test_a_threshold_twice_is_refused(write):
    with pytest.raises(DataError, match=r"t\.json must be JSON .* twice in an object: 'x'"):
        read_thresholds(write('{"x": 0.3, "x": 0.6}', "t.json"))


def test_lists_of_all_classes_with_scores_are_probabilities(write):
    rows = [
        {"id": "a", "sequence": "s", "labels": ["x", "y"], "scores": [0.7, 0.3]},
        {"id": "b", "sequence": "t", "labels": ["y", "x"], "scores": [0.6, 0.4]},
    ]
    table = read_predictions(write(rows, "p.jsonl"))
    assert (table.task, table.kind, table.ignored) == (SINGLE, "probabilities", ("sequence",))
    np.testing.assert_allclose(np.exp(table.scores), [[0.7, 0.3], [0.4, 0.6]])
    assert table.describe() == (
        "p.jsonl: probabilities of 2 classes, lists of all classes and their scores, 2 documents; "
        "columns that are not read: sequence"
    )
    several = read_predictions(write(rows, "p.jsonl"), task=MULTI, threshold=0.35)
    assert (several.scores >= 0).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize("labels", [["x"], ["x", "z"]])
def test_lists_of_some_classes_with_scores_are_labels(write, labels):
    scores = [0.4, 0.3][: len(labels)]
    rows = [
        {"id": "a", "labels": ["x", "y"], "scores": [0.9, 0.8]},
        {"id": "b", "labels": labels, "scores": scores},
    ]
    table = read_predictions(write(rows, "p.jsonl"))
    assert (table.task, table.kind) == (MULTI, "labels")
    decided = {
        name for name, score in zip(table.classes, table.scores[1], strict=True) if score > 0
    }
    assert decided == set(labels)


TOP = {
    "p.csv": "id,class,probability\na,x,0.4\nb,y,0.9\nc,z,0.3\n",
    "p.jsonl": [
        {"id": "a", "predictions": [{"label": "x", "score": 0.4}]},
        {"id": "b", "predictions": [{"label": "y", "score": 0.9}]},
        {"id": "c", "predictions": [{"label": "z", "score": 0.3}]},
    ],
}


@pytest.mark.parametrize("name", TOP)
@pytest.mark.parametrize("task", [None, MULTI])
def test_the_one_class_that_a_document_names_is_its_label(write, name, task):
    table = read_predictions(write(TOP[name], name), task=task)
    assert table.task == (task or SINGLE)
    assert table.scores.argmax(axis=1).tolist() == [0, 1, 2]
    if task == MULTI:
        assert (table.scores >= 0).tolist() == np.eye(3, dtype=bool).tolist()
    else:
        np.testing.assert_allclose(np.exp(table.scores[0]), [0.4, 0.3, 0.3])
    assert table.describe() == (
        f"{name}: labels with confidences (each document names one class), 3 classes, 3 documents"
    )


def test_one_class_in_all_documents_has_probabilities(write):
    table = read_predictions(write("id,class,probability\na,x,0.4\nb,x,0.9\n"))
    assert (table.scores >= 0).ravel().tolist() == [False, True]


def test_one_class_per_document_takes_no_threshold(write):
    message = refused(write(TOP["p.csv"]), threshold=0.3)
    assert "p.csv names one class for each document" in message
    assert "--threshold" in message


@pytest.mark.parametrize("percent", [False, True])
def test_a_rounded_softmax_has_one_label(write, percent):
    rng = np.random.default_rng(3)
    softmax = rng.dirichlet(np.ones(3), 200).round(2)
    assert (np.abs(softmax.sum(axis=1) - 1) > 0.009).any()
    cells = [[f"{round(100 * p)}%" if percent else f"{p:.2f}" for p in row] for row in softmax]
    lines = [f"{i},{','.join(row)}" for i, row in enumerate(cells)]
    table = read_predictions(write("id,x,y,z\n" + "\n".join(lines) + "\n"))
    assert table.task == SINGLE
    assert (softmax[range(200), table.scores.argmax(axis=1)] == softmax.max(axis=1)).all()


def test_many_classes_rounded_to_percents_have_one_label(write):
    softmax = np.random.default_rng(3).dirichlet(np.ones(20), 200).round(2)
    assert np.abs(softmax.sum(axis=1) - 1).max() > 0.03
    np.save("p.npy", softmax)
    assert read_predictions("p.npy").task == SINGLE


def test_sums_of_which_most_are_about_1_are_refused_with_both_ways(write):
    rows = [f"{i},0.3011,{0.6989 if i % 2 else 0.6689}" for i in range(40)]
    path = write("id,x,y\n" + "\n".join(rows) + "\n")
    message = refused(path)
    assert message.startswith("p.csv, line 2: probabilities sum to 0.97")
    assert "--multi-label" in message
    assert "--single-label" in message
    assert read_predictions(path, task=MULTI).task == MULTI


@pytest.mark.parametrize("kind", [None, "votes"])
def test_numbers_are_no_votes(write, kind):
    path = write("id,label_0,label_1\na,0,1\nb,0.2,0.8\n")
    message = refused(path, kind=kind)
    assert message.startswith("p.csv, line 3: 'label_0' must be labels for votes, but is '0.2'")
    assert "--kind probabilities" in message
    assert read_predictions(path, kind="probabilities").classes == ("label_0", "label_1")
    assert read_predictions(write("id,label_0,label_1\na,0,1\nb,1,1\n")).kind == "votes"
    assert read_predictions(write("id,label_0,label_1\na,v1,2.5\nb,1,1\n")).kind == "votes"


@pytest.mark.parametrize("kind", ["scores", "logits"])
@pytest.mark.parametrize(
    ("numbers", "way"),
    [
        ([[0.2, 0.8], [0.1, 0.7]], "--kind probabilities"),
        ([[20.0, 80.0], [10.0, 90.0]], "percent signs"),
        ([[0.2, 0.8], [0.1, 1.0000001]], "--kind probabilities"),
        ([[0.2, 0.8], [-1e-9, 0.7]], "--kind probabilities"),
    ],
)
def test_numbers_without_a_negative_one_are_no_scores(write, kind, numbers, way):
    np.save("p.npy", numbers)
    message = refused("p.npy", kind=kind)
    assert message.startswith("p.npy must have")
    assert way in message
    if kind == "logits":
        assert read_predictions("p.npy", kind=kind, task=SINGLE).scores.tolist() == numbers


def test_columns_that_are_not_read_are_said(write):
    table = read_predictions(write("id,label,p_fee,p_refund\na,fee,0.8,0.2\nb,refund,0.1,0.9\n"))
    assert table.describe() == (
        "p.csv: labels, 2 classes, 2 documents; columns that are not read: p_fee, p_refund"
    )


def test_an_underscore_is_no_part_of_a_number(write):
    assert "'x' must be a number, but is '1_0'" in refused(write("id,x\na,1_0\n"))


def test_a_list_of_outputs_of_hugging_face_is_read(write):
    outputs = [
        [{"label": "x", "score": 0.7}, {"label": "y", "score": 0.3}],
        [{"label": "y", "score": 0.9}, {"label": "x", "score": 0.1}],
    ]
    table = read_predictions(write(json.dumps(outputs), "p.json"))
    assert (table.task, table.ids) == (SINGLE, None)
    np.testing.assert_allclose(np.exp(table.scores), [[0.7, 0.3], [0.1, 0.9]])
    outputs[1] = outputs[1] * 2
    assert refused(write(json.dumps(outputs), "p.json")).startswith("p.json, item 2: 'outputs'")


def test_a_label_that_looks_like_several_is_warned_of(write):
    path = write("id,label\na,x\nb,x|y\n")
    with pytest.warns(SatcWarning, match=r"p\.csv, line 3: .*'x\|y' is a class .*--labels-column"):
        assert read_predictions(path).classes == ("x", "x|y")
    assert read_predictions(path, labels_column="label").classes == ("x", "y")


def test_semicolons_are_seen(write):
    assert "separated by ;" in refused(write('"id;labels"\n"a;x"\n'))


def test_labels_in_long_form_need_a_number(write):
    message = refused(write("id,class\na,x\n"), kind="labels")
    assert "the column 'probability' or 'score' or 'logit'" in message


def test_the_file_of_a_wrong_threshold_is_named(write):
    thresholds = read_thresholds(write('{"z": 0.3}', "t.json"))
    message = refused(write("id,x,y\na,0.8,0.7\n"), threshold=thresholds)
    assert message == "t.json: thresholds must be of the classes of p.csv, but one is of 'z'"


def test_an_unknown_word_is_answered_with_the_words(write):
    message = refused(write("id,label,confidence\na,x,Fairly sure\n"))
    assert message.startswith("p.csv, line 2: 'confidence' must be a number from 0 to 1, or one of")
    assert "very likely" in message
    assert message.endswith("but is 'Fairly sure'")


def test_known_documents_beside_a_matrix_have_a_way_out(write):
    np.save("p.npy", [[0.8, 0.1], [0.2, 0.6]])
    known = write("id,true_label\na,x\n", "gold.csv")
    with pytest.raises(DataError, match=r"p\.npy must have ids.* in gold\.csv, beside their true"):
        read_prediction_set(Path("p.npy"), known=Path(known))


@pytest.mark.parametrize("precision", [np.float16, np.float32, np.float64])
def test_a_number_of_few_digits_reaches_its_threshold(write, precision):
    np.save("p.npy", np.array([[0.7, 0.6], [0.3, 0.9]], dtype=precision))
    table = read_predictions("p.npy", threshold=0.7)
    assert (table.scores >= 0).tolist() == [[True, False], [False, True]]


KNOWN = {
    "with predictions": "id,class,probability,true_label\nk,x,0.3,y\nl,z,0.8,z\n",
    "with ids alone": "id,true_label\na,y\nb,y\n",
}


@pytest.mark.parametrize("form", KNOWN)
def test_known_documents_name_one_class_too(write, form):
    known = Path(write(KNOWN[form], "gold.csv"))
    found = read_prediction_set(Path(write(TOP["p.csv"])), known=known)
    assert found.table.task == SINGLE
    named = [0, 2] if form == "with predictions" else [0, 1]
    assert found.training.oof_scores.argmax(axis=1).tolist() == named
    truth = [1, 2] if form == "with predictions" else [1, 1]
    assert found.training.labels.argmax(axis=1).tolist() == truth


def test_training_documents_out_of_fold_name_one_class_too(write):
    oof = write("id,class,probability\nk,y,0.3\nl,x,0.8\n", "oof.csv")
    labels = write("id,label\nk,y\nl,z\n", "labels.csv")
    found = read_with_matrices(Path(write(TOP["p.csv"])), Path(oof), Path(labels))
    assert found.training.oof_scores.argmax(axis=1).tolist() == [1, 0]
    assert found.table.task == SINGLE
