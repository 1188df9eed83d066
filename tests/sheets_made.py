"""Workbooks that other programs write, and workbooks with parts of one's own."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import xlsxwriter

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a workbook of XlsxWriter, with a shared list of texts; lists are joined by |."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, list(rows[0]))
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row.values()):
                if isinstance(value, (int, float)):
                    sheet.write_number(number, column, value)
                elif value is not None:
                    text = "|".join(value) if isinstance(value, list) else value
                    sheet.write_string(number, column, text)
    return buffer.getvalue()


def save_parts(
    path: Path, data: str, *, styles: str = "", strings: str = "", more: Mapping[str, str] = {}
) -> Path:
    """Save a workbook whose one sheet has the given XML as its data; `more` replaces parts."""
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{data}</sheetData></worksheet>'
    parts = {
        "_rels/.rels": relations({"officeDocument": "xl/workbook.xml"}),
        "xl/workbook.xml": (
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
            '<sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": relations(
            {
                "worksheet": "worksheets/one.xml",
                "styles": "styles.xml",
                "sharedStrings": "strings.xml",
            }
        ),
        "xl/worksheets/one.xml": sheet,
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>',
        "xl/strings.xml": f'<sst xmlns="{MAIN}">{strings}</sst>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (parts | more).items():
            archive.writestr(name, text)
    return path


def relations(targets: Mapping[str, str]) -> str:
    found = "".join(
        f'<Relationship Id="rId{k}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for k, (kind, target) in enumerate(targets.items(), start=1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{found}</Relationships>'


def text_cell(name: str, text: str) -> str:
    """Return the XML of a cell with a plain text."""
    return f'<c r="{name}" t="inlineStr"><is><t>{text}</t></is></c>'


HEADER = f'<row r="1">{text_cell("A1", "id")}{text_cell("B1", "text")}</row>'
