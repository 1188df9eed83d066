"""Files of any bytes: a reader returns the same values as a plain reader, or names the file."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

import sheets_made
from hostile import damaged, outcome
from satc.files import (
    read_class_weights,
    read_documents,
    read_labels,
    read_scores,
    read_text,
    write_table,
)

pytestmark = pytest.mark.filterwarnings("ignore::satc.errors.GuessedFormatWarning")

ROWS = [
    {"id": "a", "text": 'One, "quoted"\nover two lines', "labels": ["x", "y"], "year": 1987},
    {"id": "b", "text": "Zwei — größer", "labels": [], "year": None},
]
CSV = 'id,text,labels,year\r\na,"One, ""quoted""\ntwo",x|y,1987\r\nb,größer,,\r\n'.encode()
JSONL = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()
MATRIX = np.array([[0.5, -1.0], [2.0, 3.0], [-4.0, 0.0]])
LONG = {"document": ["a", "a", "b", "b"], "class": ["x", "y"] * 2, "score": [0.5, -1.0, 2.0, 3.0]}


def made(write) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


PARQUET = made(lambda file: pq.write_table(pa.Table.from_pylist(ROWS), file))
XLSX = made(lambda file: file.write(sheets_made.workbook(ROWS)))
FILES = {
    "d.csv": (CSV, read_documents),
    "d.tsv": (CSV.replace(b",", b"\t"), read_documents),
    "d.csv.gz": (gzip.compress(CSV, mtime=0), read_documents),
    "bz2.csv.gz": (bz2.compress(CSV), read_documents),
    "xz.csv.gz": (lzma.compress(CSV), read_documents),
    "d.jsonl": (JSONL, read_documents),
    "d.parquet": (PARQUET, read_documents),
    "d.xlsx": (XLSX, read_documents),
    "labels.jsonl": (JSONL, read_labels),
    "s.npy": (made(lambda file: np.save(file, MATRIX)), read_scores),
    "s.npz": (made(lambda file: np.savez(file, scores=MATRIX)), read_scores),
    "s.parquet": (made(lambda file: pq.write_table(pa.table(LONG), file)), read_scores),
    "packed.npz": (made(lambda f: np.savez_compressed(f, labels=np.eye(3))), read_labels),
    "csr.npz": (made(lambda f: sparse.save_npz(f, sparse.csr_matrix(np.eye(3)))), read_labels),
    "coo.npz": (made(lambda f: sparse.save_npz(f, sparse.coo_array(np.eye(3)))), read_labels),
    "dia.npz": (made(lambda f: sparse.save_npz(f, sparse.dia_matrix(np.eye(3)))), read_labels),
    "guidelines.txt": ("Größer\nals".encode(), read_text),
    "weights.json": (b'{"wheat": 2, "corn": 0.5}', read_class_weights),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzzed")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_by_name(name, data, folder):
    content, read = FILES[name]
    path = folder / name
    path.write_bytes(content)
    assert read(path) is not None
    path.write_bytes(data.draw(damaged(content)))
    outcome(read, path)


@settings(max_examples=150, deadline=None)
@given(content=damaged(CSV))
def test_a_damaged_table_that_is_read_has_the_values_of_a_plain_reader(content, folder):
    path = folder / "plain.csv"
    path.write_bytes(content)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        documents = outcome(read_documents, path)
    if documents is not None:
        guessed = " ".join(str(one.message) for one in said)
        encoding = "utf-16" if "UTF-16" in guessed else "utf-8-sig"
        encoding = "cp1252" if "Windows" in guessed else encoding
        named = [one for one in ("semicolons", "tabs") if f"with {one} " in guessed]
        separator = {"semicolons": ";", "tabs": "\t"}[named[0]] if named else ","
        text = content.decode(encoding)
        table = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        header, *rows = (cells for cells in table if cells)
        place = [name.strip() for name in header].index
        assert documents.ids == tuple(cells[place("id")] for cells in rows)
        assert documents.texts == tuple(cells[place("text")] for cells in rows)


@settings(max_examples=150, deadline=None)
@given(content=damaged(JSONL))
def test_damaged_json_lines_that_are_read_have_the_values_of_a_plain_reader(content, folder):
    path = folder / "plain.jsonl"
    path.write_bytes(content)
    documents = outcome(read_documents, path)
    if documents is not None:
        text = content.decode("utf-8-sig")
        rows = [json.loads(line) for line in text.split("\n") if line.strip()]
        assert documents.ids == tuple(str(row["id"]) for row in rows)
        assert documents.texts == tuple(row["text"] for row in rows)


characters = st.characters(exclude_categories=["Cs"])
texts = st.text(characters, max_size=30) | st.sampled_from(
    ["\0", "\r", "\n", "\r\n", '"', "\ufeff"]
)
documents = st.lists(
    st.fixed_dictionaries({"id": texts.filter(str.strip), "text": texts, "extra": texts}),
    unique_by=lambda row: row["id"],
    min_size=1,
    max_size=6,
)
ends = st.sampled_from(["\n", "\r\n"])


def as_csv(rows, delimiter, end, quoting):
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n", quoting=quoting)
    writer.writerow(rows[0])
    writer.writerows([row[name] for name in rows[0]] for row in rows)
    if end == "\n" and not any("\r" in cell for row in rows for cell in row.values()):
        return buffer.getvalue().replace("\r\n", "\n")
    return buffer.getvalue()


@settings(max_examples=80, deadline=None)
@given(
    rows=documents,
    name=st.sampled_from(["d.csv", "d.tsv", "d.jsonl", "d.parquet"]),
    end=ends,
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    mark=st.booleans(),
    packed=st.booleans(),
)
def test_no_row_of_a_sound_file_is_lost_or_changed(rows, name, end, quoting, mark, packed, folder):
    path = folder / name
    if name == "d.parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        text = (
            "".join(json.dumps(row, ensure_ascii=mark) + end for row in rows)
            if name == "d.jsonl"
            else as_csv(rows, "," if name == "d.csv" else "\t", end, quoting)
        )
        content = text.encode("utf-8-sig" if mark else "utf-8")
        path.write_bytes(gzip.compress(content, 1, mtime=0) if packed else content)
    found = read_documents(path)
    assert found.ids == tuple(row["id"] for row in rows)
    assert found.texts == tuple(row["text"] for row in rows)
    assert found.extra == {"extra": tuple(row["extra"] for row in rows)}


@settings(max_examples=60, deadline=None)
@given(
    rows=documents,
    name=st.sampled_from(["o.jsonl", "o.parquet", "o.csv", "o.tsv", "UPPER.CSV", "o.xlsx"]),
)
def test_a_written_table_is_read_back(rows, name, folder):
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    if name.lower().endswith(("csv", "tsv")):  # formulas come back with their mark
        columns = {key: [f"x{value}" for value in values] for key, values in columns.items()}
    write_table(folder / name, columns)
    found = read_documents(folder / name)
    assert {"id": list(found.ids), "text": list(found.texts)} == {
        key: columns[key] for key in ("id", "text")
    }
    assert found.extra == {"extra": tuple(columns["extra"])}


matrices = arrays.arrays(
    st.sampled_from([np.float32, np.float64, np.int16]),
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=4),
    elements=st.integers(-1000, 1000),
)


@settings(max_examples=40, deadline=None)
@given(matrix=matrices, order=st.randoms(use_true_random=False))
def test_scores_are_the_same_in_every_form(matrix, order, folder):
    n, m = matrix.shape
    np.save(folder / "m.npy", matrix)
    np.savez_compressed(folder / "m.npz", scores=matrix, other=np.zeros(3))
    pairs = [(i, j) for i in range(n) for j in range(m)]
    order.shuffle(pairs)
    long = {
        "document": [f"d{i}" for i, _ in pairs],
        "class": [f"c{j}" for _, j in pairs],
        "score": [float(matrix[pair]) for pair in pairs],
    }
    pq.write_table(pa.table(long), folder / "m.parquet")
    for name in ("m.npy", "m.npz"):
        np.testing.assert_array_equal(read_scores(folder / name).scores, matrix)
    found = read_scores(folder / "m.parquet")
    rows, columns = (
        [names.index(f"{letter}{i}") for i in range(size)]
        for names, letter, size in ((found.ids, "d", n), (found.classes, "c", m))
    )
    np.testing.assert_array_equal(found.scores[np.ix_(rows, columns)], matrix)


@settings(max_examples=40, deadline=None)
@given(
    matrix=matrices.map(lambda values: values % 2 == 0),
    form=st.sampled_from(["csr", "csc", "coo", "bsr", "dia"]),
    packed=st.booleans(),
)
def test_labels_are_the_same_in_every_form(matrix, form, packed, folder):
    np.save(folder / "l.npy", matrix.astype(np.int8))
    sparse.save_npz(folder / "l.npz", sparse.coo_array(matrix).asformat(form), packed)
    for name in ("l.npy", "l.npz"):
        np.testing.assert_array_equal(read_labels(folder / name), matrix)


def test_a_header_of_python_2_is_read_without_a_warning(folder):
    content, read = FILES["s.npy"]
    path = folder / "python2.npy"
    end = content.index(b"\n")
    path.write_bytes(content[: end - 1] + b"\n" + content[end:])
    outcome(read, path)
