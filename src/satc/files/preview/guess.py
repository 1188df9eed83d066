"""Which columns of a file hold ids, texts and labels: a guess by their names and first cells.

A person sees the guess with the first rows, and can change it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from satc.files.labels.column_names import joined_names
from satc.files.preview.label_shapes import answer_columns, class_columns, find_label_separator
from satc.files.preview.sample import Sample

ID_NAMES = (
    "id",
    "ids",
    "document",
    "documentid",
    "docid",
    "key",
    "uuid",
    "nr",
    "no",
    "number",
    "respondent",
    "respondentid",
    "case",
    "caseid",
    "recordid",
    "pmid",
    "index",
    "lfdnr",
)
TEXT_NAMES = (
    "text",
    "texts",
    "answer",
    "answers",
    "response",
    "verbatim",
    "comment",
    "comments",
    "content",
    "body",
    "message",
    "abstract",
    "review",
    "sentence",
    "question",
    "query",
    "antwort",
    "kommentar",
    "réponse",
    "texte",
    "commentaire",
    "texto",
    "respuesta",
)
LABEL_NAMES = (
    "labels",
    "label",
    "codes",
    "code",
    "category",
    "categories",
    "class",
    "classes",
    "topic",
    "topics",
    "tag",
    "tags",
    "intent",
    "kategorie",
    "étiquette",
    "etiqueta",
)
_LONGEST_ID = 60  # characters


class Guess(NamedTuple):
    """Guessed columns; None where nothing fits, and the names as the readers take them."""

    id_column: str | None
    text_column: str | None
    labels_column: str | None = None
    label_columns: str | None = None
    separator: str = "|"


def guess_columns(sample: Sample) -> Guess:
    """Guess the columns of ids, texts and labels."""
    text = _by_name(sample.columns, TEXT_NAMES) or _longest(sample)
    identity = _id(sample, text)
    left = [name for name in sample.columns if name not in (identity, text)]
    if (label := _by_name(left, LABEL_NAMES)) is not None:
        separator = find_label_separator(sample.cells(label))
        return Guess(identity, text, label, separator=separator)
    cells = {name: sample.cells(name) for name in left}
    if columns := class_columns(cells):
        return Guess(identity, text, label_columns=joined_names(columns))
    if columns := answer_columns(cells):
        return Guess(identity, text, joined_names(columns))
    return Guess(identity, text)


def _by_name(columns: Iterable[str], wanted: Sequence[str]) -> str | None:
    """Return the column whose name, without spaces and signs, comes first among the wanted."""
    plain = {re.sub(r"[\W_]", "", name).casefold(): name for name in reversed(list(columns))}
    return next((plain[name] for name in wanted if name in plain), None)


def _id(sample: Sample, text: str | None) -> str | None:
    others = [name for name in sample.columns if name != text]
    left = [name for name in others if not _by_name([name], LABEL_NAMES)]
    distinct = [name for name in left if _are_ids(sample.cells(name))]
    if (named := _by_name(distinct, ID_NAMES)) is not None:
        return named
    ending = [name for name in distinct if re.search(r"(?i)(\b|_|[a-z])(id|nr|no)$", name)]
    named = _by_name(left, ID_NAMES)  # with an id that comes twice, which is an error to show
    return next(iter([*ending, *distinct, *([named] if named else [])]), None)


def _are_ids(cells: list[Any]) -> bool:
    """Say whether cells are short and differ from each other."""
    texts = [str(cell).strip() for cell in cells if isinstance(cell, (str, int))]
    short = all(0 < len(text) <= _LONGEST_ID for text in texts)
    return len(texts) == len(cells) and short and len(set(texts)) == len(cells)


def _longest(sample: Sample) -> str | None:
    """Return the column with the longest cells; labels and ids are no texts."""
    left = [name for name in sample.columns if not _by_name([name], (*LABEL_NAMES, *ID_NAMES))]
    measured: Callable[[str], int] = lambda name: sum(  # noqa: E731
        len(cell) for cell in sample.cells(name) if isinstance(cell, str)
    )
    found = max(left, key=measured, default=None)
    return found if found is not None and measured(found) else None
