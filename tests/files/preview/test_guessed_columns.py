"""Columns that are guessed from the names and the first cells of a file."""

import gzip

import pytest

from satc.errors import DataError
from satc.files import write_table
from satc.files.preview.file_format import find_format
from satc.files.preview.guess import guess_columns
from satc.files.preview.sample import read_sample


def guess(tmp_path, text, name="answers.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return guess_columns(read_sample(path))


def test_usual_names_are_found_in_any_case(tmp_path):
    found = guess(tmp_path, "Label,Text,ID\nprice,too dear,1\nstaff,kind people,2\n")
    assert (found.id_column, found.text_column, found.labels_column) == ("ID", "Text", "Label")


def test_other_names_are_found_by_their_cells(tmp_path):
    rows = "".join(f"R{i},{i % 3},What I think of it is long {i}\n" for i in range(9))
    found = guess(tmp_path, f"who,wave,Q12 open\n{rows}")
    assert (found.id_column, found.text_column) == ("who", "Q12 open")
    assert found.labels_column is None
    assert found.label_columns is None


def test_a_column_for_each_class_is_found(tmp_path):
    text = "id,text,anger,fear,year\n1,bad day,1,0,1999\n2,dark night,0,1,2001\n"
    assert guess(tmp_path, text).label_columns == "anger,fear"


def test_a_column_that_nobody_has_marked_yet_is_a_class_between_marked_ones(tmp_path):
    text = "id,text,price,staff,shop,note\n1,a b,x,,,\n2,c d,,,x,\n"
    assert guess(tmp_path, text).label_columns == "price,staff,shop"


def test_answer_columns_are_found(tmp_path):
    rows = "".join(f"{i},text {i} is here,price,{'staff' if i % 2 else ''}\n" for i in range(8))
    assert guess(tmp_path, f"id,text,code1,code2\n{rows}").labels_column == "code1,code2"


@pytest.mark.parametrize(
    ("cells", "separator"),
    [(["a|b", "a"], "|"), (["a;b", "a", "b"], ";"), (['"a, b"', "a", "b"], ","), (["a"] * 3, "|")],
)
def test_the_sign_between_labels_is_found(tmp_path, cells, separator):
    rows = "".join(f"{i},text,{cell}\n" for i, cell in enumerate(cells))
    assert guess(tmp_path, f"id,text,codes\n{rows}").separator == separator


def test_an_id_that_comes_twice_is_no_id(tmp_path):
    text = "id,text,case\n1,one text here,a\n1,another text,b\n"
    assert guess(tmp_path, text).id_column == "case"


def test_labels_that_differ_are_no_ids(tmp_path):
    found = guess(tmp_path, "id,text,label\n1,too dear,price\n1,kind people,staff\n")
    assert (found.id_column, found.labels_column) == ("id", "label")


def test_lists_in_json_lines_are_labels(tmp_path):
    text = '{"id": 1, "text": "a", "labels": ["x"]}\n{"id": 2, "text": "b", "labels": []}\n'
    assert guess(tmp_path, text, "a.jsonl").labels_column == "labels"


def test_the_format_of_a_csv_file_is_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("id;text\n1;für\n".encode("cp1252"))
    assert find_format(path)[:3] == ("csv", ";", "windows-1252")
    path.write_bytes("id,text\n1,für\n".encode())
    assert find_format(path)[:3] == ("csv", ",", "")
    path.write_bytes("id\ttext\n".encode("utf-16"))
    assert find_format(path)[:3] == ("csv", "\t", "utf-16")
    packed = tmp_path / "a.tsv.gz"
    packed.write_bytes(gzip.compress(b"id\ttext\n"))
    assert find_format(packed)[:2] == ("csv", "\t")


def test_the_sheets_of_a_workbook_are_named(tmp_path):
    write_table(tmp_path / "a.xlsx", {"id": ["1"], "text": ["a"]})
    assert find_format(tmp_path / "a.xlsx").sheets == ("satc",)


def test_a_damaged_file_is_an_error_that_names_it(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(DataError, match=r"a\.xlsx is damaged"):
        find_format(tmp_path / "a.xlsx")


def test_a_file_without_rows_is_an_error(tmp_path):
    with pytest.raises(DataError, match="must have rows"):
        guess(tmp_path, "id,text\n")


def test_huge_cells_end_the_sample_early(tmp_path):
    row = f"1,{'x' * 5_000_000}\n"
    (tmp_path / "a.csv").write_text(f"id,text\n{row * 12}")
    assert len(read_sample(tmp_path / "a.csv").rows) < 12
