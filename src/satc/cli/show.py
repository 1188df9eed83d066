"""What the commands print: messages, tables and JSON.

Results go to standard output, messages to standard error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from satc.cli.tables import TableColumn, print_columns

if TYPE_CHECKING:
    from satc.files.faults import BadRowsError


def say(message: str) -> None:
    """Print a message on one line of standard error."""
    typer.echo(f"satc: {' '.join(message.split())}", err=True)


def say_error(message: str) -> None:
    """Print on one line what went wrong."""
    say(message)


def say_faults(error: BadRowsError, result: str = "") -> None:
    """Print each row that cannot be used, and what to do about them."""
    for fault in error.faults:
        say_error(fault)
    rows = "rows" if len(error.faults) > 1 else "row"
    remedy = error.remedy and f"; or {error.remedy}"
    say_error(f"{len(error.faults):,} {rows} cannot be used, {result}correct them{remedy}")


def say_warning(message: Any, *_: Any, **__: Any) -> None:
    """Print a warning on one line; `warnings.showwarning` calls this."""
    say(f"note: {message}")


def print_rows(rows: Iterable[Mapping[str, Any]], *, texts: Collection[str] | None = None) -> None:
    """Print records as a table.

    Columns of texts are flush left, by default those whose first value is a string.
    """
    rows = list(rows)
    columns = []
    for name, value in rows[0].items():
        is_text = isinstance(value, str) if texts is None else name in texts
        columns.append(TableColumn(name, [_text(row[name]) for row in rows], is_text))
    print_columns(columns)


def print_table(
    title: str, note: str, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print a table of texts and figures with its title."""
    cells = [[row[k] for row in rows] for k in range(len(header))]
    columns = [
        TableColumn(name, column, not all(map(_is_figure, column)))
        for name, column in zip(header, cells, strict=True)
    ]
    print_columns(columns, title=title, note=note)


def print_json(value: Any) -> None:
    """Print JSON, for programs."""
    typer.echo(json.dumps(value, indent=2))


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _is_figure(cell: str) -> bool:
    return not cell or cell.lstrip("+-")[:1].isdigit()
