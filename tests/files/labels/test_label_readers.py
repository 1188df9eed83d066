"""Labels in several columns of a file of documents."""

import json
import warnings
from itertools import chain

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from satc.errors import DataError
from satc.files import iter_documents, read_documents, read_labels
from satc.files.faults import BadRowsError, Faults
from satc.files.tasks import find_task

WIDE = "id,text,anger,year,fear\na,one,1,1987,0\nb,two,0,1988,0\nc,three,1,1989,1\n"
ANSWERS = "id,text,code1,code2,code3\na,one,7,,12\nb,two,,,\nc,three,12, 7 ,12\n"


def written(tmp_path, text, name="d.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def jsonl(tmp_path, *rows):
    return written(tmp_path, "\n".join(map(json.dumps, rows)), "d.jsonl")


def test_columns_of_labels_are_not_among_the_other_columns(tmp_path):
    documents = read_documents(written(tmp_path, WIDE), label_columns="fear,anger")
    assert documents.labels == (("anger",), (), ("anger", "fear"))
    assert documents.extra == {"year": ("1987", "1988", "1989")}
    assert documents.classes == documents.label_columns == ("anger", "fear")
    assert documents.at([2]).label_columns == ("anger", "fear")


def test_a_column_of_labels_stays_an_ordinary_column_beside_label_columns(tmp_path):
    path = written(tmp_path, "id,text,labels,anger\na,one,x,1\n")
    documents = read_documents(path, label_columns="anger")
    assert (documents.labels, documents.extra) == ((("anger",),), {"labels": ("x",)})


def test_a_column_without_yes_is_known_but_is_no_class(tmp_path):
    path = written(tmp_path, "id,text,anger,fear\na,one,1,0\n")
    documents = read_documents(path, label_columns="*er,fear")
    assert (documents.classes, documents.label_columns) == (("anger",), ("anger", "fear"))


def test_batches_have_the_same_labels(tmp_path):
    path = written(tmp_path, WIDE)
    batches = iter_documents(path, batch_size=2, label_columns="*er,f*")
    whole = read_documents(path, label_columns="*er,f*")
    assert tuple(chain.from_iterable(one.labels for one in batches)) == whole.labels


def test_rows_that_cannot_be_used_are_reported_together(tmp_path):
    path = written(tmp_path, "id,text,anger\na,one,1\nb,two,2\nc,three,\nd,four,0\n")
    faults = Faults(path)
    batches = list(iter_documents(path, label_columns="anger", on_fault=faults))
    assert [one.ids for one in batches] == [("a", "d")]
    with pytest.raises(BadRowsError, match="2 rows cannot be used"):
        faults.check()


def test_answer_columns_are_united(tmp_path):
    for option in ("code1,code2,code3", "code*", "code1,code?"):
        documents = read_documents(written(tmp_path, ANSWERS), labels_column=option)
        assert documents.labels == (("7", "12"), (), ("12", "7"))
        assert (documents.extra, documents.label_columns) == ({}, ())


def test_an_answer_is_one_label_though_it_contains_the_separator(tmp_path):
    path = written(tmp_path, "id,text,code1,code2\na,one,x|y,z\n")
    assert read_documents(path, labels_column="code*").labels == (("x|y", "z"),)


def test_numbers_in_answer_columns_are_codes_without_a_fraction(tmp_path):
    rows = [{"id": "a", "text": "t", "code1": 7, "code2": 7.0}, {"id": "b", "text": "t",
            "code1": 1.5, "code2": None}]  # fmt: skip
    assert read_documents(jsonl(tmp_path, *rows), labels_column="code*").labels == (
        ("7",),
        ("1.5",),
    )
    table = pa.table({"id": ["a", "b"], "text": ["t", "t"], "code1": [7.0, None], "code2": [8, 9]})
    pq.write_table(table, tmp_path / "d.parquet")
    documents = read_documents(tmp_path / "d.parquet", labels_column="code1,code2")
    assert documents.labels == (("7", "8"), ("9",))


def test_an_infinite_number_is_no_label(tmp_path):
    table = pa.table({"id": ["a"], "text": ["t"], "code1": [float("inf")], "code2": [10**15]})
    pq.write_table(table, tmp_path / "d.parquet")
    with pytest.raises(DataError, match=r"row 1: 'code1' must be one label, .* but is inf$"):
        read_documents(tmp_path / "d.parquet", labels_column="code*")


@pytest.mark.parametrize("value", [True, ["7"], {"a": 1}])
def test_an_answer_that_is_no_label_is_refused(value, tmp_path):
    path = jsonl(tmp_path, {"id": "a", "text": "t", "code1": value, "code2": ""})
    with pytest.raises(DataError, match=r"line 1: 'code1' must be one label, .* or empty, but is"):
        read_documents(path, labels_column="code*")


def test_a_column_with_such_a_name_is_one_column_as_before(tmp_path):
    path = written(tmp_path, 'id,text,"why, how?",why\na,one,x|y,z\n')
    documents = read_documents(path, labels_column="why, how?")
    assert (documents.labels, documents.extra) == ((("x", "y"),), {"why": ("z",)})


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("q*", r"d\.csv, line 2 must have a column that matches 'q\*', as --labels-column says, "
               r"but has 'id', 'text', 'code1'"),
        ("code1,code4", r"must have a column named 'code4', as --labels-column says"),
        ("*", r"--labels-column '\*' must not take the columns of ids and texts, but takes 'id'"),
    ],
)  # fmt: skip
def test_answer_columns_must_be_there(option, message, tmp_path):
    with pytest.raises(DataError, match=message):
        read_documents(written(tmp_path, ANSWERS), labels_column=option)


def test_both_shapes_together_are_refused(tmp_path):
    with pytest.raises(ValueError, match="must not be given together, but are 'anger' and 'codes'"):
        read_documents(written(tmp_path, WIDE), labels_column="codes", label_columns="anger")


@pytest.mark.parametrize("option", ["label_columns", "labels_column"])
def test_rows_of_json_must_have_the_same_label_columns(option, tmp_path):
    first = {"id": "a", "text": "t", "Q7_1": "1", "Q7_2": "0"}
    less = {"id": "b", "text": "t", "Q7_1": "1"}
    with pytest.raises(DataError, match=r"line 2 must have the column 'Q7_2', which the first row"):
        read_documents(jsonl(tmp_path, first, less), **{option: "Q7_*"})
    more = {"id": "b", "text": "t", "Q7_1": "1", "Q7_2": "0", "Q7_3": "1"}
    with pytest.raises(DataError, match=r"line 2 has the column 'Q7_3', which the first row lacks"):
        read_documents(jsonl(tmp_path, first, more), **{option: "Q7_*"})
    other = more | {"Q8": "1"}
    del other["Q7_3"]
    assert read_documents(jsonl(tmp_path, first, other), **{option: "Q7_*"}).extra == {
        "Q8": (None, "1")
    }


def test_names_that_only_differ_in_spaces_are_refused(tmp_path):
    path = jsonl(tmp_path, {"id": "1", "text": "t", "a": 1, "a ": 0})
    with pytest.raises(DataError, match="label columns must differ, but 'a' comes twice"):
        read_documents(path, label_columns="a*")


def test_a_matrix_of_labels_has_the_classes_of_the_scores(tmp_path):
    path = written(tmp_path, WIDE)
    labels = read_labels(path, ["fear", "anger"], ids=["c", "a"], label_columns="anger,fear")
    assert labels.tolist() == [[True, True], [False, True]]


def test_without_a_column_of_labels_the_option_is_suggested(tmp_path):
    more = 'id,text,"a, b",anger,x,age,ok\n1,t,0,1,,1,yes\n2,t,1,0,x,30,\n'
    suggested = r"""--label-columns '"a, b",anger,x'$"""
    with pytest.raises(DataError, match=rf"must have a column of labels, .*: {suggested}"):
        read_labels(written(tmp_path, more))


def test_one_such_column_is_not_enough_for_a_suggestion(tmp_path):
    with pytest.raises(DataError, match=r"must have a column of labels, but has none$"):
        read_labels(written(tmp_path, "id,text,member\n1,t,0\n2,t,1\n"))


def test_the_task_is_that_of_the_labels(tmp_path):
    path = written(tmp_path, "id,text,a,b\n1,t,0,1\n2,t,1,0\n3,t,1,0\n")
    given = {"label_columns": "a,b"}
    assert find_task(path, read_labels(path, **given), **given) == "single-label"
    path = written(tmp_path, "id,text,a,b\n1,t,1,1\n2,t,1,0\n3,t,0,0\n")
    assert find_task(path, read_labels(path, **given), **given) == "multi-label"
    with pytest.raises(BadRowsError, match=r"line 2 must have exactly one label, but has 2") as bad:
        find_task(path, read_labels(path, **given), "single-label", **given)
    assert len(bad.value.faults) == 2


def test_reading_labels_warns_of_nothing(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_labels(written(tmp_path, "id,text,a,b\n1,t,0,1\n"), label_columns="a,b")
