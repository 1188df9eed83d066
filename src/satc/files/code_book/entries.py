"""A row of a code book as an entry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from satc.code_book import Entry
from satc.errors import DataError
from satc.files.formats.rows import Row
from satc.files.labels.cells import distinct_labels, split_labels

CODE, NAME, DEFINITION, PARENT, KEY = "code", "name", "definition", "parent", "key"
SYNONYMS = "synonyms"


def entry_of(row: Row) -> Entry:
    """Return the entry of a row; without a name, the name is the code.

    >>> entry_of(Row("book.csv, line 2", {"Code": "7", "parent": "1|2", "year": "1987"}))
    Entry(code='7', name='7', definition='', parents=('1', '2'), key='', synonyms=(), place=0)
    """
    values = {name.strip().lower(): value for name, value in row.values.items()}
    if CODE not in values:
        raise DataError(
            f"{row.where} must have a column {CODE!r}, but has "
            f"{', '.join(map(repr, row.values)) or 'none'}"
        )
    code = _text(values, CODE, row.where)
    return Entry(
        code,
        _text(values, NAME, row.where) or code,
        _text(values, DEFINITION, row.where),
        _parents(values.get(PARENT), row.where),
        _text(values, KEY, row.where),
        _synonyms(values.get(SYNONYMS), row.where),
    )


def _text(values: Mapping[str, Any], name: str, where: str) -> str:
    """Return a cell as a text without spaces around it; "" if it is empty or not there."""
    value = values.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise DataError(f"{where}: {name!r} must be a string, but is {value!r:.80}")
    text = str(value).strip()
    if "\0" in text:  # PostgreSQL cannot store it
        raise DataError(f"{where}: {name!r} must be without NUL characters, but has one")
    return text


def _parents(value: Any, where: str) -> tuple[str, ...]:
    """Return the codes of parents: of a list, or of a cell with ``|`` between them."""
    if value is None:
        return ()
    given = value if isinstance(value, list) else [value]
    if not all(isinstance(one, (str, int)) and not isinstance(one, bool) for one in given):
        raise DataError(f"{where}: {PARENT!r} must be codes, but is {value!r:.80}")
    if isinstance(value, list):
        return distinct_labels(map(str, value))
    return split_labels(str(value))


def _synonyms(value: Any, where: str) -> tuple[str, ...]:
    """Return other names of a class: of a list, or of a cell with ``|`` or ``;`` between them.

    >>> _synonyms("heart attack; MI | ", "book.csv, line 2")
    ('heart attack', 'MI')
    """
    if value is None:
        return ()
    given = value if isinstance(value, list) else re.split(r"[|;]", str(value))
    if not all(isinstance(one, (str, int)) and not isinstance(one, bool) for one in given):
        raise DataError(f"{where}: {SYNONYMS!r} must be strings, but is {value!r:.80}")
    texts = [_text({SYNONYMS: one}, SYNONYMS, where) for one in given]
    return tuple(dict.fromkeys(text for text in texts if text))
