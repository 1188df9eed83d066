"""Workbooks of LibreOffice are read as it shows them, and it opens ours without a complaint."""

from __future__ import annotations

import csv
from datetime import date, datetime
from pathlib import Path

import pytest

from satc.errors import DataError
from satc.files import read_documents, write_table
from satc.files.formats.reader import read_rows

# Separated by commas, quoted by ", UTF-8, from line 1, all columns as text, numbers as shown.
AS_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false"

FLAT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles>
 <number:date-style style:name="N1"><number:day/><number:text>.</number:text><number:month/>
  <number:text>.</number:text><number:year number:style="long"/></number:date-style>
 <number:date-style style:name="N4"><number:year number:style="long"/><number:text>/</number:text>
  <number:month/><number:text>/</number:text><number:day/><number:text> </number:text>
  <number:hours/><number:text>:</number:text><number:minutes number:style="long"/>
 </number:date-style>
 <number:percentage-style style:name="N2"><number:number number:min-integer-digits="1"/>
  <number:text>%</number:text></number:percentage-style>
 <number:number-style style:name="N3">
  <number:number number:decimal-places="0" number:min-integer-digits="5"/>
 </number:number-style>
 <number:boolean-style style:name="N5"><number:boolean/></number:boolean-style>
 <style:style style:name="truth" style:family="table-cell" style:data-style-name="N5"/>
 <style:style style:name="day" style:family="table-cell" style:data-style-name="N1"/>
 <style:style style:name="part" style:family="table-cell" style:data-style-name="N2"/>
 <style:style style:name="code" style:family="table-cell" style:data-style-name="N3"/>
 <style:style style:name="moment" style:family="table-cell" style:data-style-name="N4"/>
 <style:style style:name="bold" style:family="text">
  <style:text-properties fo:font-weight="bold"/></style:style>
 <style:style style:name="hidden" style:family="table">
  <style:table-properties table:display="false"/></style:style>
</office:automatic-styles>
<office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body></office:document>
"""


def text(value):
    lines = "".join(f"<text:p>{line}</text:p>" for line in value.split("\n"))
    return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'


def number(value, style="", kind="float", formula=""):
    name = f' table:style-name="{style}"' if style else ""
    run = f' table:formula="of:={formula}"' if formula else ""
    return f'<table:table-cell{name}{run} office:value-type="{kind}" office:value="{value}"/>'


def day(value, style):
    return (
        f'<table:table-cell table:style-name="{style}" office:value-type="date" '
        f'office:date-value="{value}"/>'
    )


def sheet(name, *rows, style=""):
    lines = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    shown = f' table:style-name="{style}"' if style else ""
    return f'<table:table table:name="{name}"{shown}>{lines}</table:table>'


CELLS = {
    "id": (text("007"), "007"),
    "text": (
        text("One <text:span text:style-name='bold'>two</text:span>\nthree"),
        "One two\nthree",
    ),
    "formula-like": (text("=1+1"), "=1+1"),
    "escape-like": (text("_x0041_"), "_x0041_"),
    "umlauts": (text("größer 𠀀 e\u0301"), "größer 𠀀 e\u0301"),
    "whole": (number(1234), "1234"),
    "fraction": (number(0.1), "0.1"),
    "percent": (number(0.4567, "part", "percentage"), "45.67%"),
    "code": (number(7, "code"), "00007"),
    "day": (day("2026-11-16", "day"), "2026-11-16"),
    "moment": (day("2026-11-16T14:30:00", "moment"), "2026-11-16 14:30:00"),
    "sum": (number(0, formula="1+1"), "2"),
    "yes": (
        '<table:table-cell table:style-name="truth" office:value-type="boolean" '
        'office:boolean-value="true"/>',
        "TRUE",
    ),
}
OVERLAPPING = ["_x0041_x0042_", "_x0041\x01"]
HOSTILE = [
    "=1+1", "+1", "-1", "@x", "007", "1e5", "2026-11-16", "TRUE", "#N/A", '"quoted"', "a,b;c\td",
    "a\nb", "\x01\x1f", "_x000D_", "_x0041_", *OVERLAPPING, "e\u0301", "\u0301x",
    "👩\u200d👧", "\U0010fffd", "<r>x</r>", "]]>&lt;", "  two  ", "https://example.org",
    "x" * 32_767,
]  # fmt: skip


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> Path:
    """A workbook that we wrote."""
    path = tmp_path_factory.mktemp("ours") / "ours.xlsx"
    columns = {
        "id": [str(k) for k in range(len(HOSTILE))],
        "text": HOSTILE,
        "number": [k / 7 for k in range(len(HOSTILE))],
        "whole": list(range(len(HOSTILE))),
        "yes": [k % 2 == 0 for k in range(len(HOSTILE))],
        "day": [date(2026, 11, 16)] * len(HOSTILE),
        "moment": [datetime(2026, 11, 16, 14, 30)] * len(HOSTILE),
    }
    write_table(path, columns)
    return path


@pytest.fixture(scope="module")
def saved_by_office(soffice, ours, tmp_path_factory) -> Path:
    """A folder with workbooks that LibreOffice wrote, at one start."""
    folder = tmp_path_factory.mktemp("office")
    error = (
        '<table:table-cell table:formula="of:=NA()" office:value-type="float" office:value="0"/>'
    )
    row = [text("a"), text("One")]
    header = [text("id"), text("text")]
    sources = {
        "cells": sheet("Data", map(text, CELLS), [cell for cell, _ in CELLS.values()]),
        "sheets": sheet("Coded", header, row) + sheet("New", header, [text("b"), text("Two")])
        + sheet("Empty", []) + sheet("Old", header, row, style="hidden"),
        "error": sheet("Data", header, row, [text("b"), error]),
        "title": sheet(
            "Data",
            ['<table:table-cell table:number-columns-spanned="2" office:value-type="string">'
             "<text:p>Survey</text:p></table:table-cell>"],
            header,
            row,
        ),
    }  # fmt: skip
    for name, sheets in sources.items():
        (folder / f"{name}.fods").write_text(FLAT.format(sheets=sheets), encoding="utf-8")
    files = [folder / f"{name}.fods" for name in sources]
    soffice.convert([*files, ours], "xlsx:Calc MS Excel 2007 XML", folder)
    return folder


def test_cells_are_read_as_libreoffice_shows_them(saved_by_office):
    (row,) = read_rows(saved_by_office / "cells.xlsx")
    assert row.values == {name: shown for name, (_, shown) in CELLS.items()}


def test_sheets_are_chosen_by_name(saved_by_office):
    path = saved_by_office / "sheets.xlsx"
    with pytest.raises(DataError, match="has the sheets 'Coded', 'New': say which"):
        read_documents(path)
    assert read_documents(f"{path}#New").ids == ("b",)
    assert read_documents(f"{path}#Old").ids == ("a",)


def test_an_error_and_a_merged_title_are_named(saved_by_office):
    with pytest.raises(DataError, match=r"'Data', row 3: the cell B3 has the error '#N/A'"):
        read_documents(saved_by_office / "error.xlsx")
    with pytest.raises(DataError, match=r"row 1 must name all columns, but holds only 'Survey'"):
        read_documents(saved_by_office / "title.xlsx")


def test_ours_comes_back_from_libreoffice_with_the_same_cells(saved_by_office, ours):
    before, after = (
        [row.values for row in read_rows(path)] for path in (ours, saved_by_office / "ours.xlsx")
    )
    for one, other in zip(before, after, strict=True):
        assert float(other.pop("number")) == pytest.approx(float(one.pop("number")), rel=1e-14)
        if one["text"] not in OVERLAPPING:  # LibreOffice reads them, but writes other texts
            assert other == one


def test_libreoffice_opens_ours_and_shows_the_same_cells(soffice, ours, tmp_path):
    (path,) = soffice.convert([ours], AS_CSV, tmp_path)
    with path.open(encoding="utf-8", newline="") as file:
        shown = list(csv.DictReader(file))
    rows = [row.values for row in read_rows(ours)]
    assert len(shown) == len(HOSTILE)
    for row, other in zip(rows, shown, strict=True):
        assert float(other.pop("number")) == pytest.approx(float(row.pop("number")), rel=1e-8)
        assert other == row
