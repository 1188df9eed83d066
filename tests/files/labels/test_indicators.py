"""Cells that say yes or no, one notation per column."""

import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from satc.errors import DataError
from satc.files import read_documents
from satc.files.labels.indicators import indicator_of


def csv_of(tmp_path, *cells, column="a", other=None):
    lines = [f"id,text,{column}{',b' if other else ''}"]
    for i, cell in enumerate(cells):
        lines.append(f"{i},t,{cell}{',' + other[i] if other else ''}")
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "d.csv"


def json_of(tmp_path, *cells):
    lines = [json.dumps({"id": i, "text": "t", "a": cell}) for i, cell in enumerate(cells)]
    (tmp_path / "d.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "d.jsonl"


def parquet_of(tmp_path, array):
    n = len(array)
    columns = {"id": list(map(str, range(n))), "text": ["t"] * n, "a": array}
    pq.write_table(pa.table(columns), tmp_path / "d.parquet")
    return tmp_path / "d.parquet"


def found(path, columns="a"):
    return [bool(labels) for labels in read_documents(path, label_columns=columns).labels]


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("1", "0"),
        ("1.0", "0.0"),
        (" 1 ", "0"),
        ("true", "false"),
        ("TRUE", "False"),
        ("yes", "no"),
        ("YES", "No"),
        ("y", "n"),
        ("Y", "N"),
        ("yes", "n"),
        ("x", ""),
        ("X", " "),
    ],
)
def test_every_notation_is_read_from_csv(yes, no, tmp_path):
    assert found(csv_of(tmp_path, no, yes, yes, no)) == [False, True, True, False]


@pytest.mark.parametrize(
    ("yes", "no"), [(1, 0), (1.0, 0.0), (True, False), ("yes", "NO"), ("x", None), ("x", "")]
)
def test_every_notation_is_read_from_json(yes, no, tmp_path):
    assert found(json_of(tmp_path, no, yes)) == [False, True]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([False, True]),
        pa.array([0, 1], pa.int8()),
        pa.array([0.0, 1.0], pa.float32()),
        pa.array([Decimal("0.00"), Decimal("1.00")]),
        pa.array([None, "x"]),
    ],
)
def test_every_type_is_read_from_parquet(array, tmp_path):
    assert found(parquet_of(tmp_path, array)) == [False, True]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["0", "2"], r"d\.csv, line 3: 'a' must be 0 or 1, as in line 2, but is '2'$"),
        (["maybe"], r"d\.csv, line 2: 'a' must be 0 or 1, true or false, yes or no, or x or empty "
                    r"\(a column of codes is read with --labels-column\), but is 'maybe'$"),
        (["0", "yes"], r"line 3: 'a' must be 0 or 1, as in line 2, but is 'yes'$"),
        (["yes", "0"], r"line 3: 'a' must be yes or no, as in line 2, but is '0'$"),
        (["x", "0"], r"line 3: 'a' must be x or empty, as in line 2, but is '0'$"),
        (["true", "1"], r"line 3: 'a' must be true or false, as in line 2, but is '1'$"),
        (["1", ""], r"line 3: 'a' must be 0 or 1, but is empty$"),
        (["no", " "], r"line 3: 'a' must be yes or no, but is empty$"),
        (["", "", "1"], r"line 2: 'a' must be 0 or 1, as in line 4, but is empty$"),
        (["01"], r"but is '01'$"),
    ],
)  # fmt: skip
def test_a_cell_in_another_notation_is_refused_with_its_place(cells, message, tmp_path):
    with pytest.raises(DataError, match=message):
        read_documents(csv_of(tmp_path, *cells), label_columns="a")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1, 2], r"d\.jsonl, line 2: 'a' must be 0 or 1, as in line 1, but is 2$"),
        ([1, None], r"line 2: 'a' must be 0 or 1, but is empty$"),
        ([True, 1], r"line 2: 'a' must be true or false, as in line 1, but is 1$"),
        ([0.5], r"line 1: 'a' must be .* but is 0\.5$"),
        ([["1"]], r"line 1: 'a' must be .* but is \['1'\]$"),
        ([-1], r"line 1: 'a' must be .* but is -1$"),
    ],
)
def test_a_value_of_json_that_is_no_answer_is_refused(cells, message, tmp_path):
    with pytest.raises(DataError, match=message):
        read_documents(json_of(tmp_path, *cells), label_columns="a")


def test_a_missing_value_of_pandas_is_empty(tmp_path):
    path = parquet_of(tmp_path, pa.array([1.0, float("nan")]))
    with pytest.raises(DataError, match=r"d\.parquet, row 2: 'a' must be 0 or 1, but is empty$"):
        read_documents(path, label_columns="a")


def test_columns_may_differ_in_their_notation(tmp_path):
    path = csv_of(tmp_path, "x", "", other=["yes", "no"])
    assert read_documents(path, label_columns="a,b").labels == (("a", "b"), ())


def test_an_empty_column_is_refused_beside_filled_ones(tmp_path):
    path = csv_of(tmp_path, "", "", other=["0", "1"])
    with pytest.raises(DataError, match=r"d\.csv: 'a' must be 0 or 1, as 'b' is, but is empty in"):
        read_documents(path, label_columns="a,b")


def test_an_empty_column_means_no_beside_columns_of_x(tmp_path):
    path = csv_of(tmp_path, "", "", other=["x", ""])
    assert read_documents(path, label_columns="a,b").labels == (("b",), ())


@pytest.mark.parametrize("value", [None, "", "2", 2, 0.5, [1], {"a": 1}, "xx", Decimal("0.5")])
def test_other_values_have_no_notation(value):
    assert indicator_of(value) is None
