"""Read the rows of a file of documents in any of the formats; the file's ending names the format.

Every fault is a `DataError` that names the file and the line, what must hold and what came.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from satc.files.faults import OnFault, raise_fault
from satc.files.formats.csv_tables import read_csv
from satc.files.formats.json_lines import read_json_lines
from satc.files.formats.parquet import read_parquet
from satc.files.formats.rows import Rows
from satc.files.formats.text_folder import read_text_folder
from satc.files.formats.xlsx.positions import ENDINGS, split_sheet
from satc.files.formats.xlsx.reader import read_xlsx

_READERS: dict[str, Callable[[Path, OnFault], Rows]] = {
    ".csv": read_csv,
    ".tsv": lambda path, on_fault: read_csv(path, on_fault, "\t"),
    ".jsonl": read_json_lines,
    ".parquet": read_parquet,
    **dict.fromkeys(ENDINGS, read_xlsx),
}
_PACKED = (".parquet", *ENDINGS)  # packed in themselves
_OTHER_SPREADSHEETS = (".xls", ".xlsb", ".ods", ".numbers")


def read_rows(path: Path, on_fault: OnFault = raise_fault) -> Rows:
    """Yield the rows of a CSV, TSV, JSON lines, Parquet or XLSX file, or of a folder of texts.

    ``survey.xlsx#coded`` is the sheet ``coded`` of a file. A row that cannot be used goes to
    `on_fault`; if that returns, reading goes on after the row.
    """
    file, sheet = split_sheet(path)
    if sheet is not None:
        return read_xlsx(file, on_fault, sheet)
    if path.is_dir():
        return read_text_folder(path, on_fault)
    endings = [suffix.lower() for suffix in path.suffixes]
    ending = endings[-2] if endings[-1:] == [".gz"] and len(endings) > 1 else "".join(endings[-1:])
    if ending not in _READERS or (endings[-1] == ".gz" and ending in _PACKED):
        raise ValueError(_unknown_ending(path, ending))
    return _READERS[ending](path, on_fault)


def _unknown_ending(path: Path, ending: str) -> str:
    if ending in _OTHER_SPREADSHEETS:
        return f"{path} must end with .xlsx: open it in a spreadsheet program and save it as .xlsx"
    return (
        f"{path} must end with {', '.join(_READERS)} (also with .gz, but not "
        f"{', '.join(_PACKED)}), but ends with {ending!r}"
    )
