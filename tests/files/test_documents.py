from __future__ import annotations

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from satc.errors import DataError
from satc.files import iter_documents, read_documents
from satc.files.faults import Faults
from satc.files.formats import text_lines

ROWS = [
    {"id": "a", "text": 'One, "quoted"\nover two lines', "labels": ["x", "y"], "year": "1987"},
    {"id": "b", "text": "Zwei — größer", "labels": [], "year": "1988"},
]


def csv_bytes(delimiter=","):
    lines = [
        delimiter.join(["id", "text", "labels", "year"]),
        delimiter.join(["a", '"One, ""quoted""\nover two lines"', "x|y", "1987"]),
        delimiter.join(["b", "Zwei — größer", "", "1988"]),
    ]
    return ("\r\n".join(lines) + "\r\n").encode()


def jsonl_bytes():
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()


FORMS = {
    "documents.csv": csv_bytes(),
    "documents.tsv": csv_bytes("\t"),
    "documents.jsonl": jsonl_bytes(),
    "documents.csv.gz": gzip.compress(csv_bytes()),
    "documents.jsonl.gz": gzip.compress(jsonl_bytes()),
    "with-mark.csv": b"\xef\xbb\xbf" + csv_bytes(),
    "with-mark.jsonl": b"\xef\xbb\xbf" + jsonl_bytes(),
    "blank-lines.csv": csv_bytes() + b"\r\n\r\n",
    "blank-lines.jsonl": jsonl_bytes() + b"\n  \n",
    "UPPER.CSV": csv_bytes(),
    "documents.parquet": None,
}


def write(tmp_path, name, content):
    path = tmp_path / name
    if content is None:
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", FORMS)
def test_all_formats_hold_the_same_documents(name, tmp_path):
    documents = read_documents(write(tmp_path, name, FORMS[name]))
    assert documents.ids == ("a", "b")
    assert [text.replace("\r", "") for text in documents.texts] == [row["text"] for row in ROWS]
    assert documents.labels == (("x", "y"), ())
    assert documents.extra == {"year": ("1987", "1988")}
    assert documents.classes == ("x", "y")
    assert len(documents) == 2


@pytest.mark.parametrize("name", ["documents.csv", "documents.jsonl", "documents.parquet"])
def test_batches_hold_the_same_documents_one_after_the_other(name, tmp_path):
    path = write(tmp_path, name, FORMS[name])
    batches = list(iter_documents(path, batch_size=1))
    assert [batch.ids for batch in batches] == [("a",), ("b",)]
    assert [batch.labels for batch in batches] == [(("x", "y"),), ((),)]
    assert batches[1].extra == {"year": ("1988",)}


def test_a_large_file_is_read_batch_by_batch_and_not_ahead(tmp_path):
    path = write(tmp_path, "large.jsonl", b'{"id": 1, "text": "t"}\n' + b"broken\n")
    batches = iter_documents(path, batch_size=1)
    assert next(batches).ids == ("1",)
    with pytest.raises(DataError, match="line 2 must be JSON"):
        next(batches)


def test_names_of_columns_and_the_separator_are_options(tmp_path):
    path = write(tmp_path, "other.csv", b"key,body,topics,id\n7,some text,x; y ;x;,kept\n")
    documents = read_documents(
        path, id_column="key", text_column="body", labels_column="topics", separator=";"
    )
    assert documents.ids == ("7",)
    assert documents.labels == (("x", "y"),)
    assert documents.extra == {"id": ("kept",)}


def test_labels_are_none_where_the_file_has_no_such_column(tmp_path):
    assert read_documents(write(tmp_path, "d.csv", b"id,text\n1,t\n")).labels is None


def test_integers_are_ids_too(tmp_path):
    path = write(tmp_path, "d.jsonl", b'{"id": 10, "text": "t"}\n{"id": "x", "text": ""}\n')
    assert read_documents(path).ids == ("10", "x")


def test_a_missing_value_of_a_json_row_is_none(tmp_path):
    content = b'{"id": 1, "text": "t", "a": 5}\n{"id": 2, "text": "t", "b": [1]}\n'
    extra = read_documents(write(tmp_path, "d.jsonl", content)).extra
    assert extra == {"a": (5, None), "b": (None, [1])}


def test_a_cell_of_ten_million_characters_is_read(tmp_path):
    text = "x" * 10_000_000
    assert read_documents(write(tmp_path, "d.csv", f"id,text\n1,{text}\n".encode())).texts == (
        text,
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.csv", b"id,text\n1,t,more\n", "line 2 must have as many cells as the header, 2, .* 3"),
        ("d.csv", b"id,text\n1\n", "line 2 must have as many cells as the header, 2, but has 1"),
        (
            "d.csv",
            b"id,text\n1,a\n1,b\n",
            "line 3: 'id' must differ .* '1' stands in line 2 as well",
        ),
        ("d.csv", b'"id;text"\n1\n', "line 2 must have a column 'id', but has 'id;text'"),
        ("d.csv", b"id,body\n1,a\n", "line 2 must have a column 'text', but has 'id', 'body'"),
        ("d.csv", b"id,id\n1,a\n", "column names must differ, but 'id' comes twice"),
        ("d.csv", b"", "must begin with a line that names the columns"),
        ("d.csv", b"id,text\n", "must hold at least one document, but holds none"),
        ("d.csv", b'id,text\n1,"open\n', "line 2: unexpected end of data"),
        ("d.csv", b"id,text\n,t\n", "line 2: 'id' must be a string that is not empty"),
        ("d.csv", b"id,text\n1,\xc3\xa9\n2,caf\xe9\n", "line 3 must be UTF-8, .* byte 6 is 0xe9"),
        ("d.jsonl", b'{"id": "caf\xe9"}\n', "line 1 must be UTF-8, but its byte 12 is 0xe9"),
        ("d.jsonl", '{"id": "1"}\n'.encode("utf-16"), "must be UTF-8, but is UTF-16"),
        ("d.csv.gz", gzip.compress(b"id,text\n1,a\n", mtime=0)[:-3], "is damaged or cut off"),
        ("d.csv.gz", b"id,text\n1,a\n", None),
        ("d.tsv", b"id\ttext\n1\n", "line 2 must have as many cells"),
        ("d.jsonl", b"", "must hold at least one document"),
        ("d.jsonl", b'{"id": 1, "text": "t"}\n{"id": 1}\n', "line 2 must have a column 'text'"),
        ("d.jsonl", b'{"id": 1, "text": "t"\n', "line 1 must be JSON"),
        ("d.jsonl", b"[" * 100_000 + b"\n", "line 1 must be JSON"),
        ("d.csv", b"id,text\r1,a\r", "line 1: a carriage return must end a line with a line feed"),
        (
            "d.jsonl",
            b'{"id": 1, "text": "t", "x": ' + b"[" * 101 + b"]" * 101 + b"}\n",
            "line 1 must not be nested deeper than 100, but is",
        ),
        ("d.jsonl", b"[1]\n", "line 1 must be a JSON object, but is a list"),
        ("d.jsonl", b"{}\n", "line 1 must have a column 'id', but has none"),
        ("d.jsonl", b'{"id": true, "text": "t"}\n', "line 1: 'id' must be .* but is True"),
        ("d.jsonl", b'{"id": 1.5, "text": "t"}\n', "line 1: 'id' must be .* but is 1.5"),
        ("d.jsonl", b'{"id": 1, "text": null}\n', "line 1: 'text' must be a string, but is None"),
        ("d.jsonl", b'{"id": 1, "text": "\\ud800"}\n', "line 1 must be JSON, .* surrogates"),
        (
            "d.jsonl",
            b'{"id": 1, "text": "t", "labels": null}',
            "'labels' must be a list of strings",
        ),
        ("d.jsonl", b'{"id": 1, "text": "t", "labels": [1]}', "'labels' must be a list of strings"),
        (
            "d.jsonl",
            b'{"id": 1, "text": "t", "labels": []}\n{"id": 2, "text": "t"}\n',
            "line 2: 'labels' must be in every row, or in none",
        ),
        ("d.parquet", b"PAR1 no", "must be a Parquet file"),
        ("d.parquet", b"", "must be a Parquet file"),
    ],
)
def test_a_fault_is_named_with_file_and_line(name, content, message, tmp_path):
    path = write(tmp_path, name, content)
    if message is None:  # the name says packed, the content is not: it is read as it is
        assert read_documents(path).ids == ("1",)
        return
    with pytest.raises(DataError, match=rf"{name}.*{message}"):
        read_documents(path)


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_lines, "LINE_LIMIT", 1000)
    path = write(tmp_path, "d.jsonl.gz", gzip.compress(b" " * 5000))
    with pytest.raises(DataError, match="line 1 is longer than 1,000 bytes"):
        read_documents(path)


def test_a_row_of_parquet_is_named_by_its_number(tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"id": [1, 2], "text": ["t", None]}), path)
    with pytest.raises(DataError, match=r"d\.parquet, row 2: 'text' must be a string, but is None"):
        read_documents(path)


def test_an_unknown_ending_is_answered_with_those_that_are_read(tmp_path):
    known = r"must end with .csv, .tsv, .jsonl, .parquet, .xlsx, .xlsm .* '.txt'"
    with pytest.raises(ValueError, match=known):
        read_documents(tmp_path / "d.txt")


def test_a_missing_file_is_named(tmp_path):
    for name in ("d.csv", "d.parquet"):
        with pytest.raises(DataError, match=rf"{name} cannot be read: .*[Nn]o such file"):
            read_documents(tmp_path / name)


def test_a_batch_size_of_zero_is_refused(tmp_path):
    with pytest.raises(ValueError, match="batch_size must be at least 1, but is 0"):
        iter_documents(tmp_path / "d.csv", batch_size=0)


def test_brackets_inside_a_text_do_not_count_as_nesting(tmp_path):
    content = json.dumps({"id": 1, "text": "[" * 500, "x": [[], [{}], [[1]]]}).encode()
    assert read_documents(write(tmp_path, "d.jsonl", content)).texts == ("[" * 500,)


def test_two_columns_of_one_name_are_refused_in_parquet_too(tmp_path):
    path = tmp_path / "d.parquet"
    arrays = [pa.array(["1"]), pa.array(["lost"]), pa.array(["seen"])]
    pq.write_table(pa.Table.from_arrays(arrays, names=["id", "text", "text"]), path)
    with pytest.raises(DataError, match=r"d\.parquet: column names must differ, but 'text'"):
        read_documents(path)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0, 2**60], pa.timestamp("us")),
        pa.array([0, 2**30], pa.date32()),
        pa.array([0, 2**62], pa.duration("s")),
        pa.array([b"fine", b"\xff"]).view(pa.string()),
    ],
    ids=["time", "date", "duration", "no UTF-8"],
)
def test_a_value_that_python_cannot_hold_is_named_with_its_row(values, tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"id": ["1", "2"], "text": ["a", "b"], "x": values}), path)
    with pytest.raises(DataError, match=r"d\.parquet, row 2 holds what cannot be read"):
        read_documents(path)
    faults = Faults(path)
    assert [batch.ids for batch in iter_documents(path, on_fault=faults)] == [("1",)]
    assert len(faults.found) == 1


def test_a_parquet_file_with_a_damaged_column_name_is_refused_by_name(tmp_path):
    path = tmp_path / "d.parquet"
    table = pa.table({"id": ["1"], "text": ["a"], "another_column": ["b"]})
    pq.write_table(table, path)
    path.write_bytes(path.read_bytes().replace(b"another_column", b"\xff" * 14))
    with pytest.raises(DataError, match=r"d\.parquet must be a Parquet file, but is damaged"):
        read_documents(path)
