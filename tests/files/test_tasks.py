import json

import numpy as np
import pytest

from satc.errors import DataError
from satc.files import read_documents, read_labels, read_training
from satc.files.faults import BadRowsError
from satc.files.tasks import describe_task, find_task, suggested_task
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, indicator


def matrix(n_one, n_none=0, n_several=0):
    rows = [[i % 2 == 0, i % 2 == 1, False] for i in range(n_one)]
    return np.array(rows + n_none * [[False] * 3] + n_several * [[True, True, False]])


@pytest.mark.parametrize(
    ("labels", "task"),
    [
        (matrix(3), SINGLE_LABEL),
        (matrix(90, n_none=10), SINGLE_LABEL),
        (matrix(89, n_none=11), MULTI_LABEL),
        (matrix(999, n_several=1), MULTI_LABEL),
        (np.ones((5, 1), dtype=bool), MULTI_LABEL),
    ],
)
def test_the_labels_suggest_the_task(labels, task):
    assert suggested_task(labels) == task


def write_csv(path, cells, column="labels"):
    lines = [f"{i},text,{cell}" for i, cell in enumerate(cells, 1)]
    path.write_text(f"id,text,{column}\n" + "\n".join(lines) + "\n")
    documents = read_documents(path)
    return path, indicator(documents.labels, documents.classes)


MOSTLY_ONE = [*(["a", "b"] * 10), "", "a", ""]


def test_documents_without_a_label_are_faults_with_their_lines(tmp_path):
    path, labels = write_csv(tmp_path / "a.csv", MOSTLY_ONE)
    with pytest.raises(BadRowsError, match=r"--none-class NAME .* --multi-label") as found:
        find_task(path, labels)
    assert found.value.faults == tuple(
        f"{path}, line {n} must have exactly one label, but has none" for n in (22, 24)
    )


def test_the_user_decides_about_documents_without_a_label(tmp_path):
    path, labels = write_csv(tmp_path / "a.csv", MOSTLY_ONE)
    assert find_task(path, labels, MULTI_LABEL) == MULTI_LABEL
    filled = read_labels(path, none_class="nothing")
    assert filled[[20, 22]].tolist() == [[False, False, True]] * 2  # a, b, nothing
    assert find_task(path, filled, none_class="nothing") == SINGLE_LABEL


def test_rows_with_several_labels_are_faults_if_one_is_wanted(tmp_path):
    path, labels = write_csv(tmp_path / "a.csv", ["a", "a|b", "", "b"])
    assert find_task(path, labels) == MULTI_LABEL
    with pytest.raises(BadRowsError) as found:
        find_task(path, labels, SINGLE_LABEL)
    assert [one.partition(".csv, ")[2] for one in found.value.faults] == [
        "line 3 must have exactly one label, but has 2",
        "line 4 must have exactly one label, but has none",
    ]
    filled = read_labels(path, none_class="c")
    with pytest.raises(BadRowsError) as found:
        find_task(path, filled, none_class="c")
    assert len(found.value.faults) == 1


def test_rows_of_a_matrix_are_named_by_their_numbers(tmp_path):
    labels = matrix(10, n_none=1)
    np.save(tmp_path / "a.npy", labels)
    with pytest.raises(BadRowsError) as found:
        find_task(tmp_path / "a.npy", labels)
    assert found.value.faults == (
        f"{tmp_path / 'a.npy'}, row 11 must have exactly one label, but has none",
    )


def test_a_matrix_gets_a_class_for_no_label_only_where_classes_have_names(tmp_path):
    np.save(tmp_path / "a.npy", matrix(2, n_none=1))
    filled = read_labels(tmp_path / "a.npy", ["x", "y", "none"], none_class="none")
    assert filled.sum(axis=1).tolist() == [1, 1, 1]
    assert filled[2].tolist() == [False, False, True]
    with pytest.raises(DataError, match="'none' must be among the classes that the scores name"):
        read_labels(tmp_path / "a.npy", none_class="none")


def test_training_labels_are_filled_too(tmp_path):
    path, _ = write_csv(tmp_path / "a.csv", ["a", "", "a", "none"])
    np.save(tmp_path / "oof.npy", np.zeros((4, 2)))
    training = read_training(tmp_path / "oof.npy", path, none_class="none")
    assert training.labels.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]


def test_one_class_is_no_single_label_task(tmp_path):
    path, labels = write_csv(tmp_path / "a.csv", ["a", "a"])
    with pytest.raises(DataError, match="must have two classes or more for a single-label task"):
        find_task(path, labels, SINGLE_LABEL)


def test_the_task_is_described_where_the_user_should_know():
    assert "so each document gets exactly one; --multi-label" in describe_task(
        matrix(5), SINGLE_LABEL
    )
    line = describe_task(matrix(2_999, n_several=1), MULTI_LABEL)
    assert line.startswith("1 of 3,000 labelled documents have several labels")
    assert describe_task(matrix(10, n_several=1), MULTI_LABEL) is None
    assert describe_task(matrix(10, n_none=30), MULTI_LABEL) is None


def test_a_column_label_holds_one_label_that_is_not_split(tmp_path):
    path, _ = write_csv(tmp_path / "a.csv", ["a|b", '" c, d"', ""], "label")
    assert read_documents(path).labels == (("a|b",), ("c, d",), ())
    assert read_documents(path, labels_column="label").labels[0] == ("a", "b")  # as any other
    assert read_documents(path, labels_column=None).extra["label"][0] == "a|b"


def test_the_column_labels_comes_before_label(tmp_path):
    (tmp_path / "a.csv").write_text("id,text,label,labels\n1,x,a|b,c|d\n")
    documents = read_documents(tmp_path / "a.csv")
    assert documents.labels == (("c", "d"),)
    assert documents.extra == {"label": ("a|b",)}


@pytest.mark.parametrize(
    ("value", "labels"), [("a|b", ("a|b",)), (["a"], ("a",)), (3, ("3",)), (None, ())]
)
def test_values_of_json(tmp_path, value, labels):
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "1", "text": "x", "label": value}))
    assert read_documents(tmp_path / "a.jsonl").labels == (labels,)


@pytest.mark.parametrize("value", [True, 1.5, {"a": 1}, [1]])
def test_values_that_are_no_label_are_named(tmp_path, value):
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "1", "text": "x", "label": value}))
    with pytest.raises(DataError, match="line 1: 'label' must be a string, but is"):
        read_documents(tmp_path / "a.jsonl")
