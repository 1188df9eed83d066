"""The format of a file, as a preview says it: its kind, encoding, separator and sheets."""

from __future__ import annotations

import codecs
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from satc.files.archives import open_unpacked
from satc.files.formats.csv_text import SEPARATORS, named_separator
from satc.files.formats.text_lines import limited_lines
from satc.files.formats.xlsx.positions import ENDINGS
from satc.files.formats.xlsx.workbook import open_workbook

CSV, XLSX, JSON_LINES, JSON, PARQUET, MATRIX = "csv", "xlsx", "jsonl", "json", "parquet", "matrix"
_KINDS = {
    ".csv": CSV,
    ".tsv": CSV,
    ".jsonl": JSON_LINES,
    ".json": JSON,
    ".parquet": PARQUET,
    ".npy": MATRIX,
    ".npz": MATRIX,
    **dict.fromkeys(ENDINGS, XLSX),
}
_LINES = 1_000  # that are looked at to find the encoding
_MOST_SHEETS = 50


class FileFormat(NamedTuple):
    """What a file is.

    Attributes
    ----------
    kind
        "csv", "xlsx", "jsonl", "json", "parquet", "matrix"; "" for another ending.
    separator, encoding
        Of a CSV file, else "". The encoding is "" for plain ASCII and UTF-8.
    sheets
        Names of the visible sheets of a workbook.
    """

    kind: str
    separator: str = ""
    encoding: str = ""
    sheets: tuple[str, ...] = ()


def kind_of(path: Path) -> str:
    """Return the kind of a file by its ending.

    >>> kind_of(Path("answers.csv.gz")), kind_of(Path("answers.ods"))
    ('csv', '')
    """
    name = path.name.lower().removesuffix(".gz")
    return next((kind for ending, kind in _KINDS.items() if name.endswith(ending)), "")


def find_format(path: Path) -> FileFormat:
    """Return the format of a file; a damaged file raises a `DataError`."""
    kind = kind_of(path)
    if kind == XLSX:
        with open_workbook(path) as workbook:
            visible = [sheet.name for sheet in workbook.sheets if sheet.is_visible]
        return FileFormat(kind, sheets=tuple(visible[:_MOST_SHEETS]))
    if kind != CSV:
        return FileFormat(kind)
    lines = _first_lines(path)
    encoding = _encoding(lines)
    first = lines[0].decode(encoding or "utf-8", "replace") if lines else ""
    is_tsv = path.name.lower().removesuffix(".gz").endswith(".tsv")
    return FileFormat(kind, "\t" if is_tsv else _separator(first), encoding)


def _first_lines(path: Path) -> list[bytes]:
    with open_unpacked(path) as file:
        if file.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return [file.readline(1 << 16)]
        return list(islice(limited_lines(path, file), _LINES))


def _encoding(lines: list[bytes]) -> str:
    if lines and lines[0][:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    for line in lines:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            return "windows-1252"
    return ""


def _separator(first: str) -> str:
    if named := named_separator(first):
        return named
    found = [sign for sign in SEPARATORS if sign in first]
    return found[0] if found and "," not in first else ","
