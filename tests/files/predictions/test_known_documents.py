"""Documents with true labels take the place of out-of-fold scores."""

import numpy as np
import pytest

from satc.errors import DataError
from satc.files.predictions import read_prediction_set, read_with_matrices

PREDICTIONS = "id,text,x,y\na,one,0.9,0.2\nb,two,0.4,0.7\nc,three,0.6,0.1\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text(PREDICTIONS, encoding="utf-8")
    return lambda content, name="known.csv": (tmp_path / name).write_text(content, encoding="utf-8")


def read(**options):
    return read_prediction_set("p.csv", known="known.csv", **options)


@pytest.mark.parametrize("column", ["true_labels", "labels", "label", "true_label"])
def test_predictions_are_looked_up_by_id(write, column):
    write(f"id,{column}\nc,y\na,x\n")
    found = read()
    table = found.table
    np.testing.assert_array_equal(found.training.oof_scores, table.scores[[2, 0]])
    assert found.training.labels.tolist() == [[False, True], [True, False]]
    assert found.unknown.tolist() == [False, True, False]


@pytest.mark.parametrize(
    "content",
    [
        "id,true_labels,x,y\nc,y,0.3,0.8\nz,x|y,0.6,0.6\n",
        "id,true_labels,note,y,x\nc,y,hm,0.8,0.3\nz,x|y,,0.6,0.6\n",
        "id,true_labels,class,probability\nc,y,x,0.3\nc,y,y,0.8\nz,x|y,x,0.6\nz,x|y,y,0.6\n",
    ],
)
def test_predictions_may_stand_beside_the_true_labels(write, content):
    write(content)
    found = read()
    p = np.array([[0.3, 0.8], [0.6, 0.6]])
    np.testing.assert_allclose(found.training.oof_scores, np.log(p / (1 - p)))
    assert found.training.labels.tolist() == [[False, True], [True, True]]
    assert found.unknown.tolist() == [True, True, False]  # c is known, z is not to be ranked


def test_a_true_label_that_was_never_predicted_becomes_a_class(write):
    write("id,true_labels\na,x|new\n")
    found = read()
    assert found.table.classes == ("x", "y", "new")
    assert (found.table.scores[:, 2] < 0).all()
    assert found.training.labels.tolist() == [[True, False, True]]


def test_predictions_of_another_kind_are_looked_up(write):
    write("id,label,true_label\na,y,x\nb,y,y\n")
    found = read()
    np.testing.assert_array_equal(found.training.oof_scores, found.table.scores[:2])


def test_the_task_is_that_of_predictions_and_true_labels_together(write):
    (softmax,) = ["id,x,y\na,0.9,0.1\nb,0.4,0.6\nc,0.6,0.4\n"]
    write(softmax, "p.csv")
    write("id,true_label\na,x\nb,y\n")
    assert read().table.task == "single-label"
    write("id,true_labels\na,x|y\nb,y\n")
    assert read().table.task == "multi-label"


def test_scores_have_the_task_of_the_true_labels(write):
    write("id,class,score\na,x,2\na,y,-1\nb,x,0\nb,y,3\nc,x,1\nc,y,0\n", "p.csv")
    write("id,true_label\na,x\nb,y\n")
    assert read().table.task == "single-label"
    assert read(task="multi-label").table.task == "multi-label"


def test_documents_without_a_label_can_have_a_class(write):
    write("id,labels\na,x\nb,\nc,x|y\n", "p.csv")
    write("id,true_labels\na,\n")
    found = read_prediction_set("p.csv", known="known.csv", none_class="none", task="multi-label")
    assert found.table.classes == ("x", "y", "none")
    assert found.table.scores[1].tolist() == [-1, -1, 1]
    assert found.training.labels.tolist() == [[False, False, True]]


REFUSED = {
    "unknown id": (
        "id,true_label\nz,x\n",
        {},
        "known.csv, line 2: p.csv must have a prediction of",
    ),
    "no truth": ("id,class,probability\na,x,0.3\n", {}, "must have the true labels in the column"),
    "a confidence": ("id,label,confidence\na,x,0.3\n", {}, "must have the true labels"),
    "twice": ("id,true_label\na,x\na,y\n", {}, "known.csv, line 3: ids must differ"),
    "no id": ("true_label\nx\n", {}, "known.csv must have ids"),
    "unknown class": ("id,true_label\na,z\n", {"classes": ["x", "y"]}, "line 2: 'z' must be among"),
    "all known": ("id,true_label\na,x\nb,x\nc,x\n", {}, "p.csv must have documents to rank"),
    "two labels": ("id,true_labels\na,x|y\n", {"task": "single-label"}, "must sum to 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_known_documents_that_cannot_be_used_are_named(write, case):
    content, options, message = REFUSED[case]
    write(content)
    with pytest.raises(DataError, match=message):
        read(**options)


def test_one_true_label_each_is_checked_by_row(write):
    write("id,label\na,x\nb,y\nc,x\n", "p.csv")
    write("id,true_labels\na,x\nb,x|y\n")
    with pytest.raises(
        DataError, match=r"known\.csv, line 3 must have exactly one label, but has 2"
    ):
        read(task="single-label")


def test_a_matrix_has_no_ids_to_look_up(write, tmp_path):
    np.save(tmp_path / "p.npy", [[0.2, 0.9]])
    write("id,true_label\na,x\n")
    with pytest.raises(DataError, match=r"p\.npy must have ids"):
        read_prediction_set("p.npy", known="known.csv")


def test_matrices_of_training_documents_are_of_the_same_kind(write, tmp_path):
    p, oof = np.array([[0.2, 0.8], [0.9, 0.1]]), np.array([[0.3, 0.7], [0.6, 0.4]])
    np.save(tmp_path / "p.npy", p)
    np.save(tmp_path / "oof.npy", oof)
    np.save(tmp_path / "y.npy", np.eye(2))
    found = read_with_matrices("p.npy", "oof.npy", "y.npy")
    assert found.table.task == "single-label"
    np.testing.assert_allclose(found.training.oof_scores, np.log(oof))
    np.testing.assert_allclose(found.table.scores, np.log(p))


def test_matrices_of_other_shapes_are_refused(write, tmp_path):
    np.save(tmp_path / "p.npy", [[0.2, 0.9]])
    np.save(tmp_path / "oof.npy", [[0.2, 0.9, 0.3]])
    np.save(tmp_path / "y.npy", np.eye(3))
    with pytest.raises(DataError, match=r"oof\.npy must have the 2 classes"):
        read_with_matrices("p.npy", "oof.npy", "y.npy")
    np.save(tmp_path / "oof.npy", [[0.2, 0.9]])
    np.save(tmp_path / "y.npy", np.eye(2))
    with pytest.raises(DataError, match=r"y\.npy must have the 1 documents"):
        read_with_matrices("p.npy", "oof.npy", "y.npy")
