"""Names and patterns of columns, as ``--label-columns`` and ``--labels-column`` take them.

The option is a line of CSV: names are separated by commas, and a name that contains a comma is
quoted, as in ``price,"staff, shop"``. In a pattern, ``*`` is any text and ``?`` any character. A
name that a column has exactly is never taken as a pattern.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from satc.errors import DataError
from satc.files.formats.formulas import unescape_formula

LABEL_COLUMNS, LABELS_COLUMN = "--label-columns", "--labels-column"  # the options
INPUT = "_input"  # the end of the names of columns of the input that had to be renamed
Wanted = str | Sequence[str]


def wanted_names(given: Wanted, argument: str) -> tuple[str, ...]:
    """Return the names and patterns of an option; a sequence is returned as it is.

    >>> wanted_names('price, "staff, shop",Q7_*', "label_columns")
    ('price', 'staff, shop', 'Q7_*')
    """
    cells = _split(given, argument) if isinstance(given, str) else given
    names = tuple(dict.fromkeys(cell.strip() for cell in cells if cell.strip()))
    if not names:
        raise ValueError(f"{argument} must name at least one column, but is {given!r}")
    return names


def _split(given: str, argument: str) -> list[str]:
    try:
        return next(csv.reader([given], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise ValueError(
            f"{argument} must be names separated by commas, with a name that contains a comma in "
            f'quotes, as in price,"staff, shop", but is {given!r}: {error}'
        ) from None


def is_pattern(name: str) -> bool:
    """Say whether a name has a wildcard."""
    return "*" in name or "?" in name


def names_several(labels_column: str) -> bool:
    """Say whether a value of ``--labels-column`` can name several columns.

    >>> names_several("codes"), names_several("code1,code2"), names_several("code*")
    (False, True, True)
    """
    return is_pattern(labels_column) or any(sign in labels_column for sign in ',"')


def joined_names(names: Sequence[str]) -> str:
    """Write names as `wanted_names` reads them.

    >>> joined_names(["price", "staff, shop"])
    'price,"staff, shop"'
    """
    return ",".join(_quoted(name) for name in names)


def _quoted(name: str) -> str:
    if any(sign in name for sign in ',"\r\n'):
        return '"' + name.replace('"', '""') + '"'
    return name


def is_delimited(path: Path) -> bool:
    """Say whether a file is CSV or TSV, where formulas are written with a ``'`` in front."""
    return path.name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))


def labels_of_columns(columns: Collection[str], delimited: bool) -> dict[str, str]:
    """Return the label of each column: its name, without the ``'`` of a formula in CSV.

    >>> labels_of_columns(["'=1+1", "price "], True)
    {"'=1+1": '=1+1', 'price ': 'price'}
    """
    return {
        column: (unescape_formula(column) if delimited else column).strip() for column in columns
    }


def select_columns(
    labels: Mapping[str, str],
    wanted: Sequence[str],
    option: str,
    where: str,
    taken: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the wanted columns of a file, in its order.

    Parameters
    ----------
    labels
        The label of each column (`labels_of_columns`).
    wanted
        Names and patterns (`wanted_names`).
    option, where
        The option and the position in the file, for error messages.
    taken
        Columns that hold something else: ids and texts.
    """
    chosen: set[str] = set()
    for name in wanted:
        found = matching(labels, name)
        if not found:
            must = "that matches" if is_pattern(name) else "named"
            raise DataError(
                f"{where} must have a column {must} {name!r}, as {option} says, but has "
                f"{listed(labels)}"
            )
        if wrong := [column for column in found if column in taken]:
            raise DataError(
                f"{where}: {option} {name!r} must not take the columns of ids and texts, but takes "
                f"{wrong[0]!r}; the columns are {listed(labels)}"
            )
        chosen.update(found)
    return tuple(column for column in labels if column in chosen)


def matching(labels: Mapping[str, str], name: str) -> list[str]:
    """Return the columns of this name; if there is none, those that the pattern matches.

    A pattern that matches ``code1`` leaves out ``code1_input``: satc gives this name to a column of
    the input when it writes labels into ``code1``.

    >>> matching({"code1": "code1", "code1_input": "code1_input"}, "code*")
    ['code1']
    """
    exact = [column for column, label in labels.items() if name in (column, label)]
    if exact or not is_pattern(name):
        return exact
    found = [column for column, label in labels.items() if matches(name, label)]
    return [column for column in found if not _is_renamed(column, found)]


def matches(pattern: str, name: str) -> bool:
    """Say whether a name matches a pattern.

    >>> matches("Q7_*", "Q7_1"), matches("Q7?", "Q7_1")
    (True, False)
    """
    return _compiled(pattern).fullmatch(name) is not None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    signs = {"*": ".*", "?": "."}
    return re.compile("".join(signs.get(sign, re.escape(sign)) for sign in pattern), re.DOTALL)


def _is_renamed(column: str, found: Collection[str]) -> bool:
    """Say whether a column of the input got another name when labels were written in columns."""
    stem = column
    while stem.endswith(INPUT):
        stem = stem.removesuffix(INPUT)
        if stem in found:
            return True
    return False


def listed(names: Collection[str]) -> str:
    """Return names for an error message."""
    return ", ".join(map(repr, names)) or "none"
