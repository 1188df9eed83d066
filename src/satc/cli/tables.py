"""Tables in the terminal. No name and no figure is cut.

Without a terminal, a table is as wide as its contents need. In a terminal, headers and long texts
are folded; if the table is still too wide, its columns are printed in blocks below each other, and
each block begins with the names of the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_PADDING = 2  # columns of the terminal
_LONGEST_NAME = 30  # longer texts may be folded
_FOLDED = 12  # the least width of a text that is folded


class TableColumn(NamedTuple):
    """A column: its header, its cells, and whether they are texts."""

    header: str
    cells: Sequence[str]
    is_text: bool

    @property
    def is_folded(self) -> bool:
        """Whether the cells may be folded: texts of several words, and long ones."""
        return self.is_text and (
            any(len(cell.split()) > 1 for cell in self.cells)
            or _longest(self.cells) > _LONGEST_NAME
        )

    @property
    def width(self) -> int:
        """The width without folding."""
        return _longest([self.header, *self.cells]) + _PADDING

    @property
    def least_width(self) -> int:
        """The width if the header is folded at its spaces, and the cells if they may be folded."""
        cells = _FOLDED if self.is_folded else _longest(self.cells)
        return max(cells, _longest(self.header.split())) + _PADDING


def print_columns(columns: Sequence[TableColumn], *, title: str = "", note: str = "") -> None:
    """Print a table, in blocks of columns if the terminal is too narrow for it."""
    console = Console()
    if not console.is_terminal:
        needed = max(cell_len(note), cell_len(title), sum(column.width for column in columns))
        console = Console(width=needed)
    for k, block in enumerate(column_blocks(columns, console.width)):
        if k:
            console.print()
        console.print(_table(block, console.width, "" if k else title))
    if note:
        console.print(Text(note, style="italic"))


def column_blocks(columns: Sequence[TableColumn], width: int) -> list[list[TableColumn]]:
    """Return the columns in blocks that fit the width; each begins with the names of the rows.

    >>> names = TableColumn("method", ["u-theoretic", "random"], True)
    >>> figures = [TableColumn(f"until 0.{k}", ["100", "1,000"], False) for k in (7, 8, 9)]
    >>> for block in column_blocks([names, *figures], 30):
    ...     print([column.header for column in block])
    ['method', 'until 0.7']
    ['method', 'until 0.8']
    ['method', 'until 0.9']
    >>> len(column_blocks([names, *figures], 40))  # the headers are folded
    1
    """
    if sum(column.least_width for column in columns) <= width:
        return [list(columns)]
    names = list(takewhile(lambda column: column.is_text, columns)) or list(columns[:1])
    room = width - sum(column.width for column in names)
    blocks: list[list[TableColumn]] = []
    left = 0
    for group in _groups(columns[len(names) :]):
        needed = sum(column.width for column in group)
        if not blocks or needed > left:
            blocks.append(list(names))
            left = room
        blocks[-1] += group
        left -= needed
    return blocks or [names]


def _groups(columns: Sequence[TableColumn]) -> list[list[TableColumn]]:
    """Return each column with those that describe it: their headers occur more than once."""
    headers = Counter(column.header for column in columns)
    groups: list[list[TableColumn]] = []
    for column in columns:
        if groups and headers[column.header] > 1:
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _table(columns: Sequence[TableColumn], width: int, title: str) -> Table:
    named = Text(title) if title else None
    table = Table(title=named, box=None, header_style="bold", title_style="bold")
    is_wide = sum(column.width for column in columns) <= width
    for column in columns:
        table.add_column(
            Text(column.header),
            justify="left" if column.is_text else "right",
            overflow="fold",
            width=None if is_wide or column.is_folded else column.least_width - _PADDING,
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, row))
    return table


def _longest(texts: Sequence[str]) -> int:
    return max(map(cell_len, texts), default=0)
