"""Read a code book from a table, or from a plain list of names."""

from __future__ import annotations

import codecs
import re
from contextlib import closing
from pathlib import Path

from satc.code_book import CodeBook, Entry
from satc.errors import DataError
from satc.files.archives import reading_errors
from satc.files.code_book.entries import CODE, entry_of
from satc.files.code_book.name_lists import read_names
from satc.files.documents import PathLike
from satc.files.formats.json_lists import read_json_list
from satc.files.formats.reader import read_rows
from satc.files.formats.rows import Row

_TABLES = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")
_WITH_HEADER = (".csv", ".tsv")  # without the column 'code', these are lists of names
_BEGINNING = 4096  # bytes that show whether a JSON list has objects


def read_code_book(path: PathLike, hierarchy: str | None = None) -> CodeBook:
    """Read a code book.

    Parameters
    ----------
    path
        A table with the column ``code`` and, as far as they are known, ``name``, ``definition``,
        ``parent``, ``key`` and ``synonyms``: a ``.csv``, ``.tsv``, ``.jsonl``, ``.parquet`` or
        ``.xlsx`` file, or a ``.json`` list of objects. Or only the codes: one per line, or a JSON
        list of strings. Several parents or synonyms are separated by ``|``, or are a list.
    hierarchy
        ``/``, ``:`` or ``.`` if parents follow from the notation of the codes, as in
        ``sport/football``, ``1:2`` or ``C14.280.067``.

    Raises
    ------
    satc.errors.DataError
        If the file is damaged, if a code or a key comes twice, if a parent is not in the book, or
        if parents form a cycle; the message names the row.
    """
    path = Path(path)
    rows = _rows(path)
    if rows is None:
        names = read_names(path)
        book = CodeBook(tuple(Entry(name, name) for name in names), str(path))
    else:
        entries = tuple(entry_of(row) for row in rows)
        book = CodeBook(entries, str(path), tuple(row.where for row in rows))
    return book.with_notation(hierarchy)


def _rows(path: Path) -> list[Row] | None:
    """Return the rows of a table; None if the file is a list of names."""
    if path.suffix.lower() == ".json":
        return _objects(path)
    ending = _ending(path)
    if ending not in _TABLES or (ending in _WITH_HEADER and not _has_codes(path)):
        return None
    with closing(read_rows(path)) as rows:  # closes the file, whatever happens
        found = list(rows)
    if not found:
        raise DataError(f"{path} must name at least one class, but names none")
    return found


def _ending(path: Path) -> str:
    endings = [suffix.lower() for suffix in path.suffixes]
    return endings[-2] if endings[-1:] == [".gz"] and len(endings) > 1 else "".join(endings[-1:])


def _has_codes(path: Path) -> bool:
    """Whether a table has the column of codes; if it cannot be read, it may be a list of names."""
    try:
        with closing(read_rows(path, lambda error: None)) as rows:
            first = next(rows, None)
    except DataError:
        return False
    return first is not None and any(name.strip().lower() == CODE for name in first.values)


def _objects(path: Path) -> list[Row] | None:
    """Return the objects of a JSON list; None if it has strings in their place."""
    with reading_errors(path), path.open("rb") as file:
        beginning = file.read(_BEGINNING).removeprefix(codecs.BOM_UTF8)
    if not re.match(rb"\s*\[\s*\{", beginning):
        return None
    return list(read_json_list(path, "class"))
