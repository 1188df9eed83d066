from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from satc.errors import DataError
from satc.files import read_documents, write_table
from satc.files import tables as module
from satc.files.formats.formulas import escape_formula, unescape_formula

COLUMNS = {
    "id": ["a", "b"],
    "labels": [("x", "y"), ()],
    "utility": np.array([0.5, -1.5]),
    "rank": np.array([2, 1]),
}


def written(tmp_path, name, columns=COLUMNS):
    write_table(tmp_path / name, columns)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    return tmp_path / name


def test_csv_has_a_header_and_joined_lists(tmp_path):
    text = written(tmp_path, "t.csv").read_text()
    assert text == "id,labels,utility,rank\na,x|y,0.5,2\nb,,-1.5,1\n"


def test_tsv_is_separated_by_tabs(tmp_path):
    assert written(tmp_path, "t.tsv").read_text().splitlines()[1] == "a\tx|y\t0.5\t2"


def test_json_is_a_list_of_objects_and_json_lines_are_the_same_objects(tmp_path):
    expected = [
        {"id": "a", "labels": ["x", "y"], "utility": 0.5, "rank": 2},
        {"id": "b", "labels": [], "utility": -1.5, "rank": 1},
    ]
    assert json.loads(written(tmp_path, "t.json").read_text()) == expected
    (tmp_path / "t.json").unlink()
    lines = written(tmp_path, "t.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == expected


def test_parquet_keeps_the_types(tmp_path):
    table = pq.read_table(written(tmp_path, "t.parquet"))
    assert table.to_pydict() == {
        "id": ["a", "b"],
        "labels": [["x", "y"], []],
        "utility": [0.5, -1.5],
        "rank": [2, 1],
    }
    assert [str(kind) for kind in table.schema.types][2:] == ["double", "int64"]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet"])
def test_documents_that_were_written_are_read_back(name, tmp_path):
    columns = {
        "id": ["1", "2"],
        "text": ['a "b"\nc', "größer, — \t|\r."],
        "labels": [["x", "y"], []],
    }
    documents = read_documents(written(tmp_path, name, columns))
    assert (documents.ids, documents.texts) == (("1", "2"), tuple(columns["text"]))
    assert documents.labels == (("x", "y"), ())


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_text_that_a_spreadsheet_would_run_is_made_harmless(start, tmp_path):
    path = written(tmp_path, "t.csv", {start + "h": [f"{start}cmd|' /C calc'!A0"]})
    with path.open(newline="") as file:
        header, row = csv.reader(file)
    assert header == [f"'{start}h"]
    assert row == [f"'{start}cmd|' /C calc'!A0"]


INVISIBLE = ["\u3000", "\u200b", "\u2028", "\u2029", "\x85", "\u2003", "\u00ad", "\u2060", "\x00"]


@pytest.mark.parametrize("start", [*INVISIBLE, "\u3000'\u200b", "\ufeff\u2028 "])
def test_a_formula_behind_invisible_characters_is_made_harmless(start, tmp_path):
    text = f"{start}=1+1"
    assert escape_formula(text) == f"'{text}"
    assert unescape_formula(escape_formula(text)) == text
    path = written(tmp_path, "t.csv", {"x": [text]})
    with path.open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file))[1] == [f"'{text}"]


def test_other_texts_behind_invisible_characters_stay_as_they_are():
    for start in INVISIBLE:
        assert escape_formula(f"{start}text = 1") == f"{start}text = 1"


def test_a_list_whose_first_name_is_a_formula_is_made_harmless(tmp_path):
    text = written(tmp_path, "t.csv", {"labels": [["=1+1", "b"]]}).read_text()
    assert text.splitlines()[1] == "'=1+1|b"


def test_numbers_stay_numbers(tmp_path):
    path = written(tmp_path, "t.csv", {"x": [-1.5, np.float64(-2), -3], "y": ["-1.5", "+2", "-"]})
    assert path.read_text().splitlines()[1:] == ["-1.5,-1.5", "-2.0,+2", "-3,'-"]


def test_formulas_are_not_escaped_in_json(tmp_path):
    assert json.loads(written(tmp_path, "t.jsonl", {"x": ["=1"]}).read_text()) == {"x": "=1"}


def test_json_has_null_for_nan_and_infinity(tmp_path):
    path = written(tmp_path, "t.json", {"x": [float("nan"), [float("inf"), 1.0]]})
    assert json.loads(path.read_text()) == [{"x": None}, {"x": [None, 1.0]}]


def test_an_empty_table_is_written(tmp_path):
    assert json.loads(written(tmp_path, "t.json", {"x": []}).read_text()) == []


@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl", "t.parquet"])
def test_a_write_that_fails_leaves_the_earlier_file_and_nothing_else(name, tmp_path, monkeypatch):
    (tmp_path / name).write_text("earlier")

    def full(path, columns):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(module._WRITERS, name[1:], full)
    with pytest.raises(DataError, match=rf"{name} cannot be written: No space left on device"):
        write_table(tmp_path / name, COLUMNS)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "earlier"


@pytest.mark.parametrize(
    ("name", "values", "kind", "message"),
    [
        ("t.json", [object()], TypeError, "not JSON serializable"),
        ("t.parquet", [1, "x"], ValueError, "column 'x' must hold values of one kind"),
    ],
)
def test_a_value_that_cannot_be_written_leaves_nothing(name, values, kind, message, tmp_path):
    with pytest.raises(kind, match=message):
        write_table(tmp_path / name, {"x": values})
    assert list(tmp_path.iterdir()) == []


def test_columns_of_different_length_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"columns must have the same length, .*'x': 1, 'y': 2"):
        write_table(tmp_path / "t.csv", {"x": [1], "y": [1, 2]})


def test_an_unknown_ending_is_answered_with_those_that_are_written(tmp_path):
    with pytest.raises(ValueError, match=r"one of .csv, .tsv, .xlsx, .json, .jsonl, .parquet, "):
        write_table(tmp_path / "t.xls", COLUMNS)


def test_a_directory_that_is_missing_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere/t\.csv cannot be written: No such file"):
        write_table(tmp_path / "nowhere" / "t.csv", COLUMNS)


def test_the_ending_may_be_in_capitals(tmp_path):
    assert written(tmp_path, "T.CSV").read_text().startswith("id,labels")


@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl", "t.parquet"])
def test_half_of_a_surrogate_pair_is_refused_by_name(name, tmp_path):
    with pytest.raises(DataError, match=rf"{name} cannot be written: texts must be Unicode"):
        write_table(tmp_path / name, {"id": ["\ud800"]})
    assert not list(tmp_path.iterdir())


def test_a_number_that_parquet_cannot_hold_is_refused_with_its_column(tmp_path):
    with pytest.raises(ValueError, match="column 'n' must hold values of one kind"):
        write_table(tmp_path / "t.parquet", {"n": [2**70]})
