"""Write or print ranked documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from satc.code_book import CodeBook

import typer

from satc.cli.options import ColumnOptions
from satc.texts.columns import Columns as ColumnNames

Columns = dict[str, list[Any]]
SHOWN = 20  # documents on the screen, unless --top says how many


class Destination(NamedTuple):
    """A file for the ranked documents, or the screen, as JSON or as a table."""

    path: Path | None
    as_json: bool
    as_read: ColumnNames | None = None  # the columns of labels, if the output has their shape
    excel: bool = False

    def with_shape(self, columns: ColumnOptions) -> Destination:
        """Return the destination for labels in several columns; the screen shows one."""
        from satc.files.labels.column_names import names_several

        names = columns.names()
        if names.label_columns is None and not names_several(names.labels_column):
            raise typer.BadParameter(
                "--same-shape needs --label-columns, or several columns in --labels-column"
            )
        return self if self.is_screen else self._replace(as_read=names)

    @property
    def is_spreadsheet(self) -> bool:
        """Whether it is a file for a spreadsheet program."""
        return self.path is not None and self.path.suffix.lower() in (".csv", ".tsv", ".xlsx")

    @property
    def is_screen(self) -> bool:
        """Whether it is a table on the screen."""
        return self.path is None and not self.as_json


def shown_columns(
    columns: Columns, destination: Destination, separator: str, book: CodeBook | None = None
) -> Columns:
    """Return the columns as a file or the screen shows them, with the names of a code book."""
    from satc.texts.coded.names import named_columns, with_names
    from satc.texts.ranked_table import for_spreadsheets, for_the_screen

    if destination.is_screen:
        return for_the_screen(named_columns(columns, book), separator)
    if book is not None:
        columns = with_names(columns, book)
    return for_spreadsheets(columns, separator) if destination.is_spreadsheet else columns


def write_ranked(
    columns: Columns, destination: Destination, top: int | None, n_documents: int | None = None
) -> None:
    """Write the columns, or print them; without `top`, the screen shows the first `SHOWN` rows.

    `n_documents` is the number of ranked documents, where the columns hold only the first of them.
    """
    from satc.cli.results import write_columns
    from satc.cli.show import print_json, print_rows, say

    if destination.path is not None:
        write_columns(destination.path, columns, excel=destination.excel)
        return
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if destination.as_json:
        print_json(rows)
        return
    shown = rows if top is not None else rows[:SHOWN]
    print_rows([{**row, "utility": f"{row['utility']:.6g}"} for row in shown])
    n = len(rows) if n_documents is None else n_documents
    if len(shown) < n:
        say(f"and {n - len(shown):,} more: -o FILE writes all, --top N shows more")
