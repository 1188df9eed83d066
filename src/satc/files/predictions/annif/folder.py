"""Files of suggestions: one for each document, as ``annif index`` and ``annif suggest`` give them.

Each line of ``a.annif`` or ``a.tsv`` is one suggestion: ``<uri>``, label, score, divided by tabs;
some vocabularies have a notation before the score. ``a.json`` has the answer of Annif's REST API
instead. The id of the document is ``a``, and its text is in ``a.txt``. In a folder with files
``*.annif`` or ``*.json``, files ``*.tsv`` are not read: Annif's corpora have the subjects that
people chose in them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.faults import raise_fault
from satc.files.formats.json_texts import parse_json
from satc.files.formats.rows import Row
from satc.files.formats.text_lines import read_lines
from satc.files.predictions.cells import Numbers

RESULTS = "results"
DOCUMENT_ID = "document_id"  # in the answers about several documents
_ANNIF, _TSV, _JSON, _TEXT = ".annif", ".tsv", ".json", ".txt"


def folder_rows(folder: Path) -> list[Row]:
    """Return a row with `id`, `results` and, if all have one, `text` for each document."""
    files = _files_in(folder, _ANNIF, _JSON) or _files_in(folder, _TSV)
    if not files:
        raise DataError(f"{folder} must hold files of suggestions, *{_ANNIF}, *{_JSON} or *{_TSV}")
    rows = [Row(str(file), {"id": file.stem, RESULTS: _results(file)}) for file in files]
    texts = [file.with_suffix(_TEXT) for file in files]
    if all(text.is_file() for text in texts):
        for row, text in zip(rows, texts, strict=True):
            row.values["text"] = "".join(read_lines(text, raise_fault))
    return rows


def _files_in(folder: Path, *endings: str) -> list[Path]:
    return sorted(one for one in folder.iterdir() if one.suffix.lower() in endings)


def is_one_document(path: Path) -> bool:
    """Whether a file holds the suggestions for one document: their lines, or a lone answer."""
    ending = path.suffix.lower()
    if ending == _ANNIF:
        return True
    if ending not in (_TSV, _JSON) or not path.is_file():
        return False
    lines = (line.strip() for line in read_lines(path, raise_fault))
    first = next(filter(None, lines), "")
    return first.startswith("{" if ending == _JSON else "<") and (ending == _JSON or ">\t" in first)


def one_document(path: Path) -> list[Row]:
    """Return the row of the document whose suggestions a file holds."""
    if path.suffix.lower() != _JSON:
        return [Row(str(path), {"id": path.stem, RESULTS: _results(path)})]
    answer = _answer(path)
    identity = answer.get(DOCUMENT_ID) or path.stem
    return [Row(str(path), {"id": str(identity), RESULTS: answer[RESULTS]})]


def _results(file: Path) -> Any:
    if file.suffix.lower() == _JSON:
        return _answer(file)[RESULTS]
    numbers = Numbers()
    lines = enumerate(read_lines(file, raise_fault), start=1)
    return [_suggestion(line, f"{file}, line {i}", numbers) for i, line in lines if line.strip()]


def _answer(file: Path) -> dict[str, Any]:
    """Return an answer of Annif's REST API about one document."""
    answer = parse_json("".join(read_lines(file, raise_fault)), f"{file} must be JSON, but is not")
    if not isinstance(answer, dict) or not isinstance(answer.get(RESULTS), list):
        raise DataError(
            f"{file} must be a list of predictions, or one answer of Annif, an object with the "
            f"list {RESULTS!r}, but is {_described(answer)}"
        )
    return answer


def _described(answer: Any) -> str:
    if not isinstance(answer, dict):
        return f"{answer!r:.80}"
    return f"an object with {', '.join(map(repr, answer)) or 'nothing'}"[:80]


def _suggestion(line: str, where: str, numbers: Numbers) -> dict[str, Any]:
    """Return the suggestion of a line, as Annif's REST API gives it."""
    uri, *others = line.rstrip("\r\n").split("\t")
    if len(others) not in (2, 3) or not (uri.startswith("<") and uri.endswith(">")):
        raise DataError(
            f"{where} must be <uri>, label and score, divided by tabs, but is {line.strip()!r:.80}"
            f"{_remedy(uri, others)}"
        )
    label, *notation, score = others
    if not 0.0 <= numbers.read(score, where, "score") <= 1.0:
        raise DataError(f"{where}: 'score' must be from 0 to 1, but is {score!r:.80}")
    notation = notation or [""]
    return {"uri": uri[1:-1], "label": label, "notation": notation[0] or None, "score": score}


def _remedy(uri: str, others: list[str]) -> str:
    """Say what to do with subjects without scores, which people have chosen."""
    if uri.startswith("<") and len(others) == 1:
        return ": subjects without scores are true labels, which belong into the file of --known"
    return ""
