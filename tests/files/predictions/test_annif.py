"""Suggestions of Annif are read as predictions: JSON of its REST API, and folders of TSV files."""

import json

import numpy as np
import pytest

from satc.errors import DataError
from satc.files.predictions import read_predictions
from satc.files.predictions.prediction_set import read_prediction_set

YSO = "http://www.yso.fi/onto/yso/"


def log_odds(p):
    return np.log(np.asarray(p) / (1 - np.asarray(p)))


def suggested(number, label, score, **more):
    return {"uri": f"{YSO}p{number}", "label": label, "score": score, **more}


BATCH = [
    {"document_id": "a", "results": [suggested(1, "wheat", 0.8), suggested(2, "corn", 0.3)]},
    {"document_id": "b", "results": [suggested(2, "corn", 0.6, notation=None)]},
    {"document_id": "c", "results": []},
]
EXPECTED = log_odds([[0.3, 0.8], [0.6, 0.01], [0.01, 0.01]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder as ``annif index`` leaves it: texts, and their suggestions beside them."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "docs"
    made.mkdir()
    for name, lines in {
        "a": [f"<{YSO}p1>\twheat\t0.8", f"<{YSO}p2>\tcorn\t0.3"],
        "b": [f"<{YSO}p2>\tcorn\t0.6"],
        "c": [],
    }.items():
        (made / f"{name}.txt").write_text(f"Text of\n{name}.", encoding="utf-8")
        (made / f"{name}.annif").write_text("".join(f"{one}\n" for one in lines), encoding="utf-8")
    return made


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_answers_about_several_documents_are_probabilities(write, ending):
    name = write(json.dumps(BATCH) if ending == "json" else BATCH, f"p.{ending}")
    table = read_predictions(name)
    assert (table.kind, table.task) == ("probabilities", "multi-label")
    assert (table.ids, table.classes) == (("a", "b", "c"), ("corn", "wheat"))
    np.testing.assert_allclose(table.scores, EXPECTED)
    said = "probabilities of 2 classes, suggestions of Annif, 3 documents"
    assert table.describe() == f"{name}: {said}"


def test_a_folder_says_the_same_and_has_the_texts(folder):
    table = read_predictions("docs")
    assert (table.ids, table.classes) == (("a", "b", "c"), ("corn", "wheat"))
    assert table.texts == ("Text of\na.", "Text of\nb.", "Text of\nc.")
    np.testing.assert_allclose(table.scores, EXPECTED)


def test_a_folder_may_hold_answers_of_the_rest_api(folder):
    for path in folder.glob("*.annif"):
        path.unlink()
    for document in BATCH:
        answer = {"results": document["results"]}
        (folder / f"{document['document_id']}.json").write_text(json.dumps(answer))
    np.testing.assert_allclose(read_predictions("docs").scores, EXPECTED)


def test_without_all_texts_there_are_none(folder):
    (folder / "b.txt").unlink()
    assert read_predictions("docs").texts is None


def test_a_threshold_decides_as_for_probabilities(folder):
    labels = read_predictions("docs", threshold=0.3).scores >= 0
    assert labels.tolist() == [[True, True], [True, False], [False, False]]


def test_suggestions_can_be_labels_whatever_their_score(folder):
    table = read_predictions("docs", kind="labels")
    assert (table.scores >= 0).tolist() == [[True, True], [True, False], [False, False]]
    assert table.scores[0, 1] > table.scores[0, 0]


def test_scores_that_sum_to_one_by_chance_are_still_of_several_labels(write):
    rows = [
        {"id": str(i), "results": [suggested(1, "x", 0.4), suggested(2, "y", 0.6)]} for i in "ab"
    ]
    assert read_predictions(write(rows, "p.jsonl")).task == "multi-label"


def test_a_notation_stands_before_the_score(folder):
    (folder / "a.annif").write_text(f"<{YSO}p1>\twheat\t633.11\t0.8\n<{YSO}p2>\tcorn\t0.3\n")
    np.testing.assert_allclose(read_predictions("docs").scores, EXPECTED)


def test_named_classes_are_found_by_label_uri_or_notation(write):
    rows = [{"id": "a", "results": [suggested(1, "wheat", 0.8, notation="633")]}]
    for name in ("wheat", f"{YSO}p1", "633"):
        table = read_predictions(write(rows, "p.jsonl"), classes=[name, "rye"])
        np.testing.assert_allclose(table.scores, log_odds([[0.8, 0.01]]))
    with pytest.raises(DataError, match="'wheat' must be among the classes, by its label, URI or"):
        read_predictions("p.jsonl", classes=["rye"])


def test_two_subjects_with_one_label_are_two_classes(write):
    results = [suggested(1, "Java", 0.8), suggested(2, "Java", 0.3), suggested(3, "", 0.2)]
    table = read_predictions(write([{"id": "a", "results": results}], "p.jsonl"))
    assert table.classes == (f"Java <{YSO}p1>", f"Java <{YSO}p2>", f"{YSO}p3")


def test_known_documents_are_found_by_their_ids(folder, tmp_path):
    (tmp_path / "gold.csv").write_text("id,true_labels\na,wheat|rye\nb,corn\n", encoding="utf-8")
    found = read_prediction_set("docs", known="gold.csv")
    assert found.table.classes == ("corn", "wheat", "rye")
    assert found.training.labels.tolist() == [[False, True, True], [True, False, False]]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("wheat\t0.8", "a.annif, line 2 must be <uri>, label and score, divided by tabs"),
        ("wheat", "a.annif, line 2 must be <uri>, label and score, .* but is 'wheat'$"),
        (f"<{YSO}p3>\trye", "line 2 must be .* true labels, which belong into the file of --known"),
        (f"{YSO}p1\twheat\t0.8", "line 2 must be <uri>, label and score"),
        (f"<{YSO}p3>\trye\tmuch", "a.annif, line 2: 'score' must be a number, but is 'much'"),
        (f"<{YSO}p3>\trye\t1.5", "a.annif, line 2: 'score' must be from 0 to 1, but is '1.5'"),
        (f"<{YSO}p1>\twheat\t0.7", "must suggest every class once, but 'wheat' comes twice"),
        (f"<{YSO}p3>\trye\tnan", "'score' must be a number"),
    ],
)
def test_a_line_that_is_no_suggestion_is_named(folder, line, said):
    (folder / "a.annif").write_text(f"<{YSO}p1>\twheat\t0.8\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_predictions("docs")


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"id": "b", "results": "none"}, "line 2: 'results' must be a list such as"),
        ({"id": "b", "results": [{"uri": 3, "label": "x", "score": 1}]}, "'uri' of a suggestion"),
        ({"id": "b", "results": [{"uri": None, "score": 1}]}, "must have 'label' or 'uri'"),
        ({"id": "b"}, "line 2"),
    ],
)
def test_a_row_that_has_no_suggestions_is_named(write, second, said):
    with pytest.raises(DataError, match=said):
        read_predictions(write([BATCH[0] | {"id": "a"}, second], "p.jsonl"))


def test_other_kinds_are_refused(folder):
    with pytest.raises(DataError, match="which are probabilities or labels, not logits"):
        read_predictions("docs", kind="logits")


def test_an_empty_folder_is_refused(tmp_path):
    said = r"must hold files of suggestions, \*\.annif, \*\.json or \*\.tsv"
    with pytest.raises(DataError, match=said):
        read_predictions(tmp_path)


def test_a_folder_may_hold_suggestions_as_tsv(folder):
    for path in folder.glob("*.annif"):
        path.rename(path.with_suffix(".tsv"))
    np.testing.assert_allclose(read_predictions("docs").scores, EXPECTED)


def test_beside_suggestions_the_subjects_that_people_chose_are_not_read(folder):
    (folder / "a.tsv").write_text(f"<{YSO}p1>\twheat\n", encoding="utf-8")
    np.testing.assert_allclose(read_predictions("docs").scores, EXPECTED)


@pytest.mark.parametrize("ending", ["annif", "tsv"])
def test_one_file_has_the_suggestions_for_one_document(folder, ending):
    path = (folder / "a.annif").rename(folder / f"alone.{ending}")
    table = read_predictions(path)
    assert (table.ids, table.classes) == (("alone",), ("corn", "wheat"))
    np.testing.assert_allclose(table.scores, EXPECTED[:1])


def test_a_tsv_file_with_a_header_is_a_table(write):
    table = read_predictions(write("id\twheat\tcorn\na\t0.8\t0.3\n", "p.tsv"))
    assert (table.ids, table.classes) == (("a",), ("wheat", "corn"))


@pytest.mark.parametrize("named", [{}, {"document_id": "alone"}])
def test_a_lone_answer_is_one_document(write, named):
    name = write(json.dumps({"results": BATCH[0]["results"], **named}), "alone.json")
    table = read_predictions(name)
    assert table.ids == ("alone",)
    np.testing.assert_allclose(table.scores, EXPECTED[:1])


def test_another_lone_object_is_refused_with_what_would_work(write):
    name = write(json.dumps({"id": "a", "refund": 0.8}), "p.json")
    said = "a list of predictions, or one answer of Annif, .* but is an object with 'id', 'refund'"
    with pytest.raises(DataError, match=said):
        read_predictions(name)


def test_a_class_called_results_is_no_suggestion(write):
    table = read_predictions(write("id,results,other\na,0.8,0.2\n"))
    assert table.classes == ("results", "other")
