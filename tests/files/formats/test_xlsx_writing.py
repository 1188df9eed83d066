"""Workbooks that we write: harmless, exact, and as a person expects a table."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime

import openpyxl
import pytest
import python_calamine

from satc.errors import DataError
from satc.files import read_documents, write_table
from satc.files.formats.reader import read_rows
from satc.files.formats.xlsx import writer

FORMULAS = ["=1+1", "=cmd|' /C calc'!A0", "+1", "@SUM(1)", "-2+3", "\t=1", "{=1}", "＝1+1"]
LINKS = ["https://example.org", "mailto:a@example.org", "internal:satc!A1", "external:c:/x.xlsx"]
MARKUP = ["<r>x</r>", "<r><f>1</f></r>", "]]>", "&amp;", "<![CDATA[x]]>"]


def written(path, columns):
    write_table(path, columns)
    return openpyxl.load_workbook(path)["satc"]


@pytest.mark.parametrize("text", [*FORMULAS, *LINKS, *MARKUP])
def test_texts_stay_texts(text, tmp_path):
    sheet = written(tmp_path / "t.xlsx", {"id": [text], text: ["x"]})
    assert [(sheet[name].value, sheet[name].data_type) for name in ("A2", "B1")] == [
        (text, "s")
    ] * 2
    assert sheet["A2"].hyperlink is None
    (row,) = (
        python_calamine.CalamineWorkbook.from_path(tmp_path / "t.xlsx")
        .get_sheet_by_index(0)
        .to_python()[1:]
    )
    assert row == [text, "x"]


def test_values_have_their_types(tmp_path):
    columns = {
        "id": ["007"],
        "number": [0.1 + 0.2],
        "whole": [12],
        "long": [12345678901234567],
        "yes": [True],
        "labels": [("x", "y")],
        "none": [None],
        "day": [date(2026, 11, 16)],
        "time": [datetime(2026, 11, 16, 14, 30)],
        "zone": [datetime(2026, 11, 16, 14, 30, tzinfo=UTC)],
        "long ago": [date(1789, 7, 14)],
        "nan": [math.nan],
    }
    sheet = written(tmp_path / "t.xlsx", columns)
    found = {sheet.cell(1, k).value: sheet.cell(2, k).value for k in range(1, len(columns) + 1)}
    assert found == {
        "id": "007",
        "number": 0.30000000000000004,
        "whole": 12,
        "long": "12345678901234567",
        "yes": True,
        "labels": "x|y",
        "none": None,
        "day": datetime(2026, 11, 16),
        "time": datetime(2026, 11, 16, 14, 30),
        "zone": "2026-11-16T14:30:00+00:00",
        "long ago": "1789-07-14",
        "nan": "nan",
    }
    (row,) = read_rows(tmp_path / "t.xlsx")
    assert row.values["number"] == "0.30000000000000004"
    assert row.values["day"] == "2026-11-16"


def test_the_header_is_bold_and_stays_in_view_and_rows_can_be_filtered(tmp_path):
    texts = ["word " * 100, "short"]
    sheet = written(tmp_path / "t.xlsx", {"id": ["a", "b"], "a long name of a column": [1, 2],
                                          "text": texts})  # fmt: skip
    assert all(cell.font.b for cell in sheet[1])
    assert not any(cell.font.b for cell in sheet[2])
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:C3"
    widths = [sheet.column_dimensions[letter].width for letter in "ABC"]
    assert widths == [8, len("a long name of a column") + 2, 60]


def test_a_table_without_rows_or_columns_is_a_workbook(tmp_path):
    assert written(tmp_path / "t.xlsx", {"id": []}).max_row == 1
    assert written(tmp_path / "n.xlsx", {}).max_row == 1


def test_the_same_table_makes_the_same_file(tmp_path):
    for name in ("a.xlsx", "b.xlsx"):
        write_table(tmp_path / name, {"id": ["a"], "n": [0.5]})
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


@pytest.mark.parametrize(("unit", "limit"), [("x", 32_767), ("😀", 16_383)])
def test_a_text_that_is_too_long_is_named_and_nothing_is_left_behind(unit, limit, tmp_path):
    path = tmp_path / "t.xlsx"
    write_table(path, {"id": ["a"], "text": [unit * limit]})
    assert read_documents(path).texts == (unit * limit,)
    before = path.read_bytes()
    message = r"at most 32,767 characters, but B3 has 32,76[89], .*; CSV, JSON lines and Parquet"
    with pytest.raises(ValueError, match=message):
        write_table(path, {"id": ["a", "b"], "text": ["fine", unit * (limit + 1)]})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_too_many_rows_are_refused_and_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "MAX_ROWS", 100)
    write_table(tmp_path / "fits.xlsx", {"id": list(range(99))})
    message = "at most 100 rows with the header, but row 101 follows; CSV, JSON lines and Parquet"
    with pytest.raises(ValueError, match=message):
        write_table(tmp_path / "t.xlsx", {"id": list(range(100))})
    assert [path.name for path in tmp_path.iterdir()] == ["fits.xlsx"]


def test_too_many_columns_and_bytes_are_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="at most 16,384 columns, but there are 16,385"):
        write_table(tmp_path / "t.xlsx", {str(k): [] for k in range(16_385)})
    monkeypatch.setattr(writer, "MAX_BYTES", 10_000)
    with pytest.raises(ValueError, match="at most 10,000 bytes in a sheet, but row"):
        write_table(tmp_path / "t.xlsx", {"id": ["x" * 100] * 100})
    assert not list(tmp_path.iterdir())


def test_half_of_a_surrogate_pair_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"t\.xlsx cannot be written: .* surrogate"):
        write_table(tmp_path / "t.xlsx", {"id": ["\ud83d"]})
    assert not list(tmp_path.iterdir())
