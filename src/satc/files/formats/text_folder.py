"""A folder of texts: each file ``a.txt`` is a document with the id ``a``."""

from __future__ import annotations

from pathlib import Path

from satc.errors import DataError
from satc.files.faults import OnFault
from satc.files.formats.rows import Row, Rows
from satc.files.formats.text_lines import read_lines

_ENDING = ".txt"


def read_text_folder(folder: Path, on_fault: OnFault) -> Rows:
    """Yield a row with `id` and `text` for each text, sorted by the names of the files."""
    files = sorted(one for one in folder.iterdir() if one.suffix.lower() == _ENDING)
    if not files:
        raise DataError(
            f"{folder} must hold texts, *{_ENDING}, but holds none: a folder of documents has a "
            "file for each; other formats are one file, such as documents.csv"
        )
    for file in files:
        text = "".join(read_lines(file, on_fault))
        yield Row(f"{file}, line 1", {"id": file.stem, "text": text})
