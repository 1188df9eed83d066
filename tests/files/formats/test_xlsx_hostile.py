"""Hostile and damaged workbooks: each is refused by name, in little memory."""

from __future__ import annotations

import struct
import tracemalloc
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile import damaged, outcome
from satc.errors import DataError
from satc.files import archives, read_documents
from satc.files.formats.reader import read_rows
from satc.files.formats.xlsx import xml_parts
from sheets_made import HEADER, MAIN, save_parts, text_cell

ROW = f'<row r="2">{text_cell("A2", "a")}{text_cell("B2", "One")}</row>'
LAUGHS = '<!DOCTYPE w [<!ENTITY a "ha">{}]>'.format(
    "".join(f'<!ENTITY a{k} "{f"&a{k - 1 if k > 1 else str()};" * 10}">' for k in range(1, 12))
)


def refused(path, message, name="t.xlsx"):
    with pytest.raises(DataError, match=message) as caught:
        list(read_rows(path))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("part", ["xl/worksheets/one.xml", "xl/strings.xml", "xl/workbook.xml"])
def test_a_billion_laughs_are_refused(part, tmp_path):
    content = f"{LAUGHS}<worksheet xmlns='{MAIN}'><si><t>&a11;</t></si></worksheet>"
    path = save_parts(tmp_path / "t.xlsx", HEADER + ROW, more={part: content})
    tracemalloc.start()
    refused(path, "must have no document type")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 5_000_000


def test_an_entity_of_another_file_is_refused(tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    outside = f'<!DOCTYPE w [<!ENTITY x SYSTEM "{(tmp_path / "secret.txt").as_uri()}">]>'
    content = f"{outside}<worksheet xmlns='{MAIN}'><sheetData>{HEADER}&x;</sheetData></worksheet>"
    more = {"xl/worksheets/one.xml": content}
    refused(save_parts(tmp_path / "t.xlsx", "", more=more), "must have no document type")


@pytest.mark.parametrize("part", ["xl/worksheets/one.xml", "xl/strings.xml", "xl/styles.xml"])
def test_a_part_that_unpacks_to_too_much_is_refused(part, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "UNPACKED_LIMIT", 100_000)
    more = {part: f"<a xmlns='{MAIN}'>{' ' * 200_000}</a>"}
    path = save_parts(tmp_path / "t.xlsx", HEADER + ROW, more=more)
    refused(path, "unpacks to more than 100,000 bytes")


def test_a_bomb_is_read_in_little_memory(tmp_path):
    path = save_parts(tmp_path / "t.xlsx", HEADER)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("xl/worksheets/bomb.xml", "w") as file:
            file.write(f"<worksheet xmlns='{MAIN}'><sheetData>{HEADER}".encode())
            for _ in range(100):
                file.write(b"<row><c><v>" + b" " * 500_000 + b"</v></c></row>")
        text = archive.read("xl/_rels/workbook.xml.rels").decode().replace("one.xml", "bomb.xml")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("xl/_rels/workbook.xml.rels", text)
    assert path.stat().st_size < 200_000
    tracemalloc.start()
    refused(path, "row 2: the cell A2 must hold a number")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10_000_000


HUGE = {
    "a long text": (text_cell("A2", "x" * 3_000), "has a cell of more than 2,000 characters"),
    "parts of a text": (
        f'<c r="A2" t="inlineStr"><is>{"<r><t>xxxxx</t></r>" * 500}</is></c>',
        "has a cell of more than 2,000 characters",
    ),
    "deep": ("<a>" * 200 + "</a>" * 200, "must not be nested deeper than 100"),
    "a column too far": (text_cell("XFE2", "x"), "columns A to XFD, but one is 'XFE2'"),
    "no column": (text_cell("12", "x"), "columns A to XFD, but one is '12'"),
}


@pytest.mark.parametrize("name", HUGE)
def test_what_no_sheet_has_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.setattr(xml_parts, "MAX_TEXT", 2_000)
    cells, message = HUGE[name]
    path = save_parts(tmp_path / "t.xlsx", f'{HEADER}<row r="2">{cells}</row>')
    refused(path, message)


def test_a_tag_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(xml_parts, "MAX_TAG", 100_000)
    row = f'<row r="2" x="{"y" * 1_000_000}"></row>'
    refused(save_parts(tmp_path / "t.xlsx", HEADER + row), "has a tag of more than 100,000 bytes")


@pytest.mark.parametrize("number", ["0", "1048577", "-1", "9" * 5_000, "x"])
def test_a_row_that_no_sheet_has_is_refused(number, tmp_path):
    row = f'<row r="{number}">{text_cell("A2", "x")}</row>'
    refused(save_parts(tmp_path / "t.xlsx", HEADER + row), "rows must be numbered from 1 to 1,048")


def test_declared_sizes_are_not_believed(tmp_path):
    sheet = (
        f'<worksheet xmlns="{MAIN}"><dimension ref="A1:XFD1048576"/><sheetData>{HEADER}{ROW}'
        '<row r="1048576" spans="1:16384"/></sheetData></worksheet>'
    )
    strings = {
        "xl/strings.xml": f'<sst xmlns="{MAIN}" count="9999999999" uniqueCount="999999999"/>'
    }
    more = {"xl/worksheets/one.xml": sheet} | strings
    path = save_parts(tmp_path / "t.xlsx", "", more=more)
    tracemalloc.start()
    assert read_documents(path).ids == ("a",)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 5_000_000


@pytest.mark.parametrize("number", ["1", "-1", "x", "9" * 30])
def test_a_text_that_is_not_listed_is_refused(number, tmp_path):
    row = f'<row r="2"><c r="A2" t="s"><v>{number}</v></c></row>'
    path = save_parts(tmp_path / "t.xlsx", HEADER + row, strings="<si><t>one</t></si>")
    refused(path, "row 2 must have texts of the workbook's list, but refers to number")


@pytest.mark.parametrize("value", ["1_000", "nan", "inf", "1e999", "0x10", "one"])
def test_a_number_that_is_none_is_refused(value, tmp_path):
    row = f'<row r="2">{text_cell("A2", "a")}<c r="B2"><v>{value}</v></c></row>'
    refused(save_parts(tmp_path / "t.xlsx", HEADER + row), f"B2 must hold a number, but .*{value}")


@pytest.mark.parametrize("value", ["-1", "2958466", "1e300"])
def test_a_date_that_is_none_is_refused(value, tmp_path):
    styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    row = f'<row r="2">{text_cell("A2", "a")}<c r="B2" s="0"><v>{value}</v></c></row>'
    path = save_parts(tmp_path / "t.xlsx", HEADER + row, styles=styles)
    refused(path, "B2 must be a date, but .* is no date from 1900 to 9999")


OTHER_FILES = {
    "old": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old .xls file or protected by a"),
    "text": (b"id,text\na,b\n", "must be an .xlsx file, but is none: open it in a spreadsheet"),
    "empty": (b"", "must be an .xlsx file, but is none"),
    "cut off": (b"PK\x03\x04" + bytes(50), "is damaged or cut off"),
}


@pytest.mark.parametrize("name", OTHER_FILES)
def test_another_file_under_the_name_is_refused_with_advice(name, tmp_path):
    content, message = OTHER_FILES[name]
    (tmp_path / "t.xlsx").write_bytes(content)
    refused(tmp_path / "t.xlsx", message)


def test_a_zip_file_of_another_kind_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    refused(tmp_path / "t.xlsx", "but is another kind of file: open it in a spreadsheet program")


@pytest.mark.parametrize("name", ["t.xls", "t.ods", "t.xlsb"])
def test_other_formats_of_spreadsheets_are_refused_with_advice(name, tmp_path):
    with pytest.raises(ValueError, match=r"open it in a spreadsheet program and save it as \.xlsx"):
        read_rows(tmp_path / name)


def test_a_packed_workbook_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"also with \.gz, but not \.parquet, \.xlsx, \.xlsm"):
        read_rows(tmp_path / "t.xlsx.gz")


def test_a_sheet_with_a_wrong_checksum_is_refused(tmp_path):
    path = save_parts(tmp_path / "t.xlsx", HEADER + ROW)
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("xl/worksheets/one.xml")
    content = bytearray(path.read_bytes())
    place = content.rindex(b"xl/worksheets/one.xml") - 46 + 16  # in the list at the end
    assert content[place : place + 4] == struct.pack("<I", entry.CRC)
    content[place] ^= 1
    path.write_bytes(content)
    refused(path, "is damaged or cut off: Bad CRC-32")


SHEET = f'<worksheet xmlns="{MAIN}"><sheetData>{HEADER}{ROW}</sheetData></worksheet>'


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(content=damaged(SHEET.encode()), part=st.sampled_from(["worksheets/one", "strings"]))
def test_a_damaged_part_is_read_or_refused_by_name(content, part, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "damaged.xlsx"
    save_parts(path, HEADER + ROW, more={f"xl/{part}.xml": content})
    outcome(read_documents, path)
