"""Small Parquet files that unpack to much are refused, and take little memory."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from satc.errors import DataError
from satc.files import read_documents, read_scores
from satc.files.formats.csv_tables import CELL_LIMIT
from satc.files.formats.parquet_metadata.footer import check_footer
from satc.files.formats.parquet_metadata.pages import pages_of
from satc.files.formats.parquet_metadata.thrift import BadStructError
from satc.files.predictions.features import read_features

MEGABYTE = 1 << 20
READ = """
import resource, sys
from pathlib import Path
import pyarrow.parquet
from satc.errors import DataError
from satc.files import read_documents, read_scores
from satc.files.formats.reader import read_rows
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kind, path = sys.argv[1:]
try:
    if kind == "scores":
        read_scores(path)
    else:
        for row in read_rows(Path(path)):
            pass
except DataError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, file=sys.stderr)
"""


def read_in_process(path, kind="rows"):
    """Read a file in a process of its own; return the error, and the memory it took, in MB."""
    done = subprocess.run(
        [sys.executable, "-c", READ, kind, str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout, int(done.stderr.split()[-1]) / 1024


def written(path, columns, **options):
    options = {"compression": "zstd", "write_statistics": False, **options}
    pq.write_table(pa.table(columns), path, **options)
    return path


def test_one_huge_text_is_refused_before_it_is_unpacked(tmp_path):
    text = pa.array(["x" * 200 * MEGABYTE], pa.large_string())
    path = written(tmp_path / "d.parquet", {"id": ["1"], "text": text})
    assert path.stat().st_size < 60_000
    error, taken = read_in_process(path)
    assert "d.parquet: a part of the column 'text' must unpack to at most" in error
    assert taken < 150


def test_a_file_that_unpacks_to_gigabytes_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "d.parquet"
    schema = pa.schema({"id": pa.string(), "text": pa.string()})
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    with pq.ParquetWriter(path, schema, **options) as writer:
        texts = pa.array(["y" * MEGABYTE] * 40)
        for block in range(52):
            ids = pa.array([f"{block}-{i}" for i in range(40)])
            writer.write_table(pa.table({"id": ids, "text": texts}, schema=schema))
    assert path.stat().st_size < 3 * MEGABYTE
    error, taken = read_in_process(path)
    assert "d.parquet unpacks to more than 2,147,483,648 bytes" in error
    assert taken < 150


def test_a_dictionary_that_is_used_for_many_rows_is_counted_for_every_row(tmp_path):
    indices = pa.array(np.zeros(3_000, dtype=np.int32))
    texts = pa.DictionaryArray.from_arrays(indices, pa.array(["z" * MEGABYTE]))
    ids = [str(i) for i in range(3_000)]
    path = written(tmp_path / "d.parquet", {"id": ids, "text": texts})
    assert path.stat().st_size < 100_000
    error, taken = read_in_process(path)
    assert "d.parquet unpacks to more than 2,147,483,648 bytes" in error
    assert taken < 400


def test_names_in_a_dictionary_do_not_blow_up_scores(tmp_path):
    n = 100_000
    names = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(n, dtype=np.int32)), pa.array(["c" * MEGABYTE])
    )
    documents = pa.array([str(i) for i in range(n)])
    columns = {"document": documents, "class": names, "score": np.zeros(n)}
    path = written(tmp_path / "s.parquet", columns)
    error, taken = read_in_process(path, "scores")
    assert error == ""
    assert taken < 400


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
def test_a_cell_has_the_limit_of_csv(tmp_path, compression):
    columns = {"id": ["1", "2"], "text": ["short", "é" * CELL_LIMIT]}
    path = written(tmp_path / "d.parquet", columns, compression=compression)
    assert len(read_documents(path).texts[1]) == CELL_LIMIT
    columns["text"][1] += "x"
    path = written(tmp_path / "d.parquet", columns, compression=compression)
    with pytest.raises(DataError, match=r"row 2 has a cell of more than 10,000,000 characters"):
        read_documents(path)


def test_a_row_has_the_limit_of_a_line(tmp_path):
    columns = {"id": ["1"], "text": ["a"], **{f"c{j}": ["x" * 9_000_000] for j in range(8)}}
    with pytest.raises(DataError, match=r"row 1 is longer than 67,108,864 bytes"):
        read_documents(written(tmp_path / "d.parquet", columns))


def test_a_list_of_too_many_values_is_refused(tmp_path):
    values = pa.nulls(1 << 25, pa.int8())
    lists = pa.ListArray.from_arrays([0, 1 << 25], values)
    path = written(
        tmp_path / "d.parquet",
        {"id": ["1"], "text": ["a"], "more": lists},
        write_batch_size=1 << 26,
        max_rows_per_page=1 << 26,
    )
    with pytest.raises(DataError, match=r"column 'more.list.element' must hold at most 16,777,216"):
        read_documents(path)


def test_many_equal_numbers_are_refused_as_features(tmp_path):
    columns = {f"x{j}": pa.nulls(1 << 20, pa.float32()) for j in range(260)}
    path = written(tmp_path / "f.parquet", columns)
    with pytest.raises(DataError, match="unpacks to more than"):
        read_features(path, "id")


def test_texts_in_lists_and_records_are_read_as_before(tmp_path):
    rows = [
        {
            "id": str(i),
            "text": f"text {i}",
            "labels": ["a", "b"][: i % 3],
            "more": {"who": "ann", "n": i},
            "raw": b"\xff",
            "none": None,
        }
        for i in range(2_500)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "d.parquet", row_group_size=700)
    documents = read_documents(tmp_path / "d.parquet")
    assert documents.texts == tuple(row["text"] for row in rows)
    assert documents.labels == tuple(tuple(row["labels"]) for row in rows)
    for name in ("more", "raw", "none"):
        assert list(documents.extra[name]) == [row[name] for row in rows]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip", "brotli"])
def test_the_headers_of_pages_say_what_the_end_of_the_file_says(tmp_path, version, compression):
    path = tmp_path / "d.parquet"
    columns = {
        "id": [str(i) for i in range(30_000)],
        "n": range(30_000),
        "labels": [["a"] * (i % 3) for i in range(30_000)],
    }
    options = {"compression": compression, "data_page_version": version, "row_group_size": 9_000}
    pq.write_table(pa.table(columns), path, **options)
    with pq.ParquetFile(path) as file, path.open("rb") as raw:
        for g in range(file.metadata.num_row_groups):
            for i in range(3):
                chunk = file.metadata.row_group(g).column(i)
                pages = list(pages_of(raw, chunk))
                n_values = sum(page.n_values for page in pages if not page.is_dictionary)
                assert n_values == chunk.num_values
                unpacked = sum(page.unpacked for page in pages)
                assert 0 <= chunk.total_uncompressed_size - unpacked < 400 * len(pages)


VECTORS = {"id": ["a", "b", "c"], "v": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}
COUNTS = b"\x46\x00\x00\x00\x0c"  # of the four levels of the vectors: six numbers are there


def with_footer(path, old, new):
    """Replace bytes in the footer of a file."""
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:-8]
    assert footer.count(old) == 1
    footer = footer.replace(old, new)
    path.write_bytes(content[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


@pytest.mark.parametrize("counts", [b"\x56\x00\x00\x00\x0c\x00", b"\x16\x0c"])
@pytest.mark.parametrize("read", [read_features, read_scores, read_documents])
def test_sizes_that_do_not_fit_the_type_of_a_column_are_refused(counts, read, tmp_path):
    path = written(tmp_path / "d.parquet", VECTORS, write_statistics=True)
    with_footer(path, COUNTS, counts)
    with pytest.raises(DataError, match=r"d\.parquet must be .* damaged: the sizes of the column"):
        read(path)


def test_a_footer_that_cannot_be_read_is_refused(tmp_path):
    path = written(tmp_path / "d.parquet", VECTORS, write_statistics=True)
    with_footer(path, COUNTS, b"\x40\x00\x00\x00\x0c")  # a list of no known kind
    with pytest.raises(DataError, match=r"d\.parquet must be .* damaged: the footer cannot"):
        read_features(path)


def test_every_part_of_a_file_must_have_all_columns(tmp_path):
    path = written(tmp_path / "d.parquet", VECTORS)
    with pq.ParquetFile(path) as file, path.open("rb") as raw:
        columns = [file.schema.column(i) for i in range(2)]
        check_footer(raw, columns)
        with pytest.raises(BadStructError, match="a part has 2 columns instead of 1"):
            check_footer(raw, columns[:1])


def test_scores_with_a_damaged_column_name_are_refused_by_name(tmp_path):
    path = tmp_path / "s.parquet"
    columns = {"document": ["a"], "class": ["x"], "score": [1.0], "other": [1]}
    pq.write_table(pa.table(columns), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"other", b"\xe4ther"))
    with pytest.raises(DataError, match=r"s\.parquet must be a Parquet file in long form"):
        read_scores(path)


def test_scores_keep_their_order_of_documents_and_classes(tmp_path):
    columns = {
        "document": ["b", "a", "b", "a"],
        "class": ["y", "x", "x", "y"],
        "score": [1.0, 2.0, 3.0, 4.0],
    }
    path = written(tmp_path / "s.parquet", columns, row_group_size=1)
    table = read_scores(path)
    assert (table.ids, table.classes) == (("b", "a"), ("y", "x"))
    assert table.scores.tolist() == [[1.0, 3.0], [4.0, 2.0]]
