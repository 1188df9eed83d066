"""What a file is understood to hold, before a project is made from it."""

import pytest

from satc.files.preview.predicted import summarise_predictions
from satc.files.preview.summary import summarise


@pytest.fixture
def write(tmp_path):
    def written(text, name="a.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return written


def test_documents_classes_and_labels_are_counted(write):
    found = summarise(write("id,text,labels\n1,a,x|y\n2,b,x\n3,c,\n"))
    assert (found.n_documents, found.complete, found.task) == (3, True, "multi-label")
    assert dict(found.classes) == {"x": 2, "y": 1}
    assert dict(found.n_labels) == {2: 1, 1: 1, 0: 1}


def test_one_label_each_suggests_a_single_label_task(write):
    assert summarise(write("id,text,label\n1,a,x\n2,b,y\n")).task == "single-label"
    assert summarise(write("id,text,label\n1,a,x\n2,b,x\n")).task == "multi-label"


def test_a_column_for_each_class_is_counted(write):
    found = summarise(write("id,text,a,b\n1,t,1,1\n2,t,0,1\n"), label_columns="a,b")
    assert dict(found.classes) == {"a": 1, "b": 2}


def test_rows_with_errors_are_named_and_the_others_counted(write):
    found = summarise(write("id,text\n1,a\n1,b\n3,c\n"))
    assert found.n_documents == 2
    assert "line 3: 'id' must differ from all others" in found.faults[0]


def test_many_faults_end_the_reading(write):
    rows = "".join(f",text {i}\n" for i in range(100))
    found = summarise(write(f"id,text\n{rows}"))
    assert len(found.faults) == 20
    assert not found.complete


def test_reading_ends_when_it_takes_too_long(write):
    rows = "".join(f"{i},text\n" for i in range(2_000))
    found = summarise(write(f"id,text\n{rows}"), seconds=0.0)
    assert not found.complete
    assert 0 < found.n_documents < 2_000


def test_without_labels_there_is_no_task(write):
    assert summarise(write("id,text\n1,a\n"), labels_column=None).task is None


def test_predictions_are_counted_by_their_labels(write):
    path = write("id,anger,fear\n1,0.9,0.2\n2,0.7,0.8\n")
    found = summarise_predictions(path, n_bytes=50)
    assert (found.kind, found.task) == ("probabilities", "multi-label")
    assert dict(found.summary.classes) == {"anger": 2, "fear": 1}


def test_only_the_named_columns_of_predictions_are_classes(write):
    path = write("id,wave,anger,fear\n1,3,1,0\n2,3,0,1\n")
    found = summarise_predictions(path, n_bytes=50, classes=("anger", "fear"))
    assert set(found.summary.classes) == {"anger", "fear"}


def test_a_large_file_of_predictions_is_not_read(write):
    found = summarise_predictions(write("no predictions"), n_bytes=1 << 40)
    assert not found.summary.complete
    assert not found.summary.faults


def test_what_is_wrong_with_predictions_is_said(write):
    found = summarise_predictions(write("id,label\n1,a\n1,b\n"), n_bytes=50)
    assert "must differ" in found.summary.faults[0]
