"""A folder with a file of suggestions for each document, as ``annif index`` writes it.

Each line of ``a.annif`` is one suggestion: ``<uri>``, label, score, divided by tabs; some
vocabularies have a notation before the score. ``a.json`` has the answer of Annif's REST API
instead. The id of the document is ``a``, and its text is in ``a.txt``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.faults import raise_fault
from satc.files.formats.json_texts import parse_json
from satc.files.formats.rows import Row
from satc.files.formats.text_lines import read_lines

RESULTS = "results"
_TSV, _JSON, _TEXT = ".annif", ".json", ".txt"


def folder_rows(folder: Path) -> list[Row]:
    """Return a row with `id`, `results` and, if all have one, `text` for each document."""
    files = sorted(one for one in folder.iterdir() if one.suffix.lower() in (_TSV, _JSON))
    if not files:
        raise DataError(f"{folder} must hold files of suggestions, *{_TSV} or *{_JSON}")
    rows = [Row(str(file), {"id": file.stem, RESULTS: _results(file)}) for file in files]
    texts = [file.with_suffix(_TEXT) for file in files]
    if all(text.is_file() for text in texts):
        for row, text in zip(rows, texts, strict=True):
            row.values["text"] = "".join(read_lines(text, raise_fault))
    return rows


def _results(file: Path) -> Any:
    if file.suffix.lower() == _TSV:
        lines = enumerate(read_lines(file, raise_fault), start=1)
        return [_suggestion(line, f"{file}, line {i}") for i, line in lines if line.strip()]
    answer = parse_json("".join(read_lines(file, raise_fault)), f"{file} must be JSON, but is not")
    if not isinstance(answer, dict) or not isinstance(answer.get(RESULTS), list):
        raise DataError(f"{file} must be an object with the list {RESULTS!r}, but is not")
    return answer[RESULTS]


def _suggestion(line: str, where: str) -> dict[str, Any]:
    """Return the suggestion of a line, as Annif's REST API gives it."""
    uri, *names, score = line.rstrip("\r\n").split("\t")
    if len(names) not in (1, 2) or not (uri.startswith("<") and uri.endswith(">")):
        raise DataError(
            f"{where} must be <uri>, label and score, divided by tabs, but is {line!r:.80}"
        )
    notation = names[1] if len(names) == 2 else None
    return {"uri": uri[1:-1], "label": names[0], "notation": notation, "score": score}
