"""The answers of the reviewers so far: a table with ids and a column for each question.

An empty cell means that nobody has read the document for this question yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from satc.errors import DataError
from satc.files.documents import PathLike
from satc.files.formats.reader import read_rows
from satc.files.formats.rows import Row
from satc.files.labels.indicators import MARK, indicator_of, is_empty

Answers = dict[int, bool]  # by document


def read_answers(
    path: PathLike, ids: Sequence[str], questions: Sequence[str], id_column: str = "id"
) -> list[Answers]:
    """Read answers: for each question, the documents (as places in `ids`) with yes or no."""
    path, places = Path(path), {one: i for i, one in enumerate(ids)}
    found: list[Answers] = [{} for _ in questions]
    seen: set[int] = set()
    with closing(read_rows(path)) as rows:
        for row in rows:
            i = _place(row, places, id_column, seen)
            for answers, question in zip(found, questions, strict=True):
                if not is_empty(row.values.get(question)):
                    answers[i] = _answer(row, question)
    return found


def _place(row: Row, places: Mapping[str, int], id_column: str, seen: set[int]) -> int:
    name = str(row.values.get(id_column, ""))
    if name not in places:
        raise DataError(
            f"{row.where}: {id_column!r} must be the id of a document, but is {name!r:.80}"
        )
    if places[name] in seen:
        raise DataError(f"{row.where}: ids must differ, but {name!r:.80} comes twice")
    seen.add(places[name])
    return places[name]


def _answer(row: Row, question: str) -> bool:
    found = indicator_of(row.values[question])
    if found is None or found[0] == MARK:
        raise DataError(
            f"{row.where}: {question!r} must be yes, no, 1, 0, true, false or empty, but is "
            f"{row.values[question]!r:.80}"
        )
    return found[1]
