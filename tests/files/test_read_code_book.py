"""Code books in all formats, and faults with their file and row."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from satc.code_book import Entry
from satc.errors import DataError
from satc.files.code_book import read_code_book
from satc.files.predictions import read_classes

ROWS = [
    {"code": "1", "name": "Sport", "definition": "Games, and more.", "parent": "", "key": ""},
    {"code": "2", "name": "Ball games", "definition": "", "parent": "1", "key": "b"},
    {"code": "3", "name": "", "definition": "", "parent": "1|2", "key": ""},
]
ENTRIES = (
    Entry("1", "Sport", "Games, and more."),
    Entry("2", "Ball games", parents=("1",), key="b"),
    Entry("3", "3", parents=("1", "2")),
)


@pytest.fixture
def write(tmp_path):
    def written(content, name):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return written


def delimited(separator):
    quoted = [[f'"{value}"' for value in row.values()] for row in ROWS]
    lines = [list(ROWS[0]), *quoted]
    return "".join(separator.join(line) + "\n" for line in lines)


def test_a_book_is_the_same_in_every_format(write, tmp_path):
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "book.parquet")
    paths = [
        write(delimited(","), "book.csv"),
        write(delimited("\t"), "book.tsv"),
        write("".join(json.dumps(row) + "\n" for row in ROWS), "book.jsonl"),
        write(json.dumps(ROWS, indent=1), "book.json"),
        tmp_path / "book.parquet",
    ]
    for path in paths:
        book = read_code_book(path)
        assert book.entries == ENTRIES, path.name
        assert read_classes(path) == ("1", "2", "3")


def test_synonyms_are_separated_or_a_list(write):
    table = "code,synonyms\nmi,heart attack; MI |heart attack\nhf,\n"
    found = [one.synonyms for one in read_code_book(write(table, "book.csv")).entries]
    assert found == [("heart attack", "MI"), ()]
    listed = json.dumps([{"code": "mi", "synonyms": ["heart attack; acute", "MI"]}])
    found = read_code_book(write(listed, "book.json")).entries[0].synonyms
    assert found == ("heart attack; acute", "MI")
    with pytest.raises(DataError, match=r"'synonyms' must be strings, but is \[\[\]\]"):
        read_code_book(write('[{"code": "mi", "synonyms": [[]]}]', "wrong.json"))


def test_json_has_numbers_and_lists(write):
    rows = [{"code": 7}, {"code": "8", "parent": [7]}, {"code": 9, "parent": 8, "key": None}]
    book = read_code_book(write(json.dumps(rows), "book.json"))
    assert book.codes == ("7", "8", "9")
    assert [entry.parents for entry in book.entries] == [(), ("7",), ("8",)]


def test_only_the_code_is_needed_and_other_columns_are_left_out(write):
    book = read_code_book(write("year, Code ,NAME\n1987,a,Wheat\n1988,b,\n", "book.csv"))
    assert book.entries == (Entry("a", "Wheat"), Entry("b", "b"))


@pytest.mark.parametrize(
    ("content", "name"),
    [("x\ny, z\n", "names.csv"), ("x\ny, z\n", "names.txt"), ('["x", "y, z"]', "names.json")],
)
def test_a_plain_list_of_names_is_a_book(write, content, name):
    path = write(content, name)
    assert read_code_book(path).entries == (Entry("x", "x"), Entry("y, z", "y, z"))
    assert read_classes(path) == ("x", "y, z")


def test_parents_follow_from_the_codes_if_the_user_says_so(write):
    path = write("sport\nsport/football\n", "names.txt")
    assert not read_code_book(path).has_parents
    assert read_code_book(path, "/").hierarchy.parents == ((), (0,))


@pytest.mark.parametrize(
    ("content", "message"),
    [("code,parent\na,\nb,c\n", r"book\.csv, line 3: 'parent' must be a code of the book, .* 'c'"),
     ("code\na\na\n", r"book\.csv, line 3: 'code' must differ .*'a' stands in .*line 2"),
     ("code,name\n,x\n", r"book\.csv, line 2: 'code' must not be empty"),
     ("code,parent\na,b\nb,a\n", r"book\.csv, line 2: 'parent' must not form a cycle"),
     ("code,key\na,w\nb,w\n", r"book\.csv, line 3: 'key' must differ .*line 2"),
     ("code,key\na,s\n", r"book\.csv, line 2: 'key' must not be a key that the page uses"),
     ("code,name\na\n b,c\n", r"line 2 must have as many cells as the header")],
)  # fmt: skip
def test_a_fault_names_the_file_and_the_row(write, content, message):
    with pytest.raises(DataError, match=message):
        read_code_book(write(content, "book.csv"))


@pytest.mark.parametrize(
    ("row", "message"),
    [('{"name": "x"}', r"book\.jsonl, line 1 must have a column 'code', but has 'name'"),
     ('{"code": 1.5}', "'code' must be a string, but is 1.5"),
     ('{"code": "a", "parent": [true]}', "'parent' must be codes"),
     ('{"code": "a", "parent": {"x": 1}}', "'parent' must be codes"),
     (r'{"code": "a", "name": "x\u0000"}', "'name' must be without NUL characters")],
)  # fmt: skip
def test_values_that_are_no_texts_are_refused(write, row, message):
    with pytest.raises(DataError, match=message):
        read_code_book(write(row + "\n", "book.jsonl"))


def test_a_table_without_rows_is_refused(write):
    with pytest.raises(DataError, match="must name at least one class"):
        read_code_book(write("\n", "book.jsonl"))
