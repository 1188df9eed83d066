"""Tables of printed pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table that scrolls by itself where it is wider than the page.

    The first cell of each row is its heading. A table without a `header` has rows of one name and
    one value. A line break in a cell is one on the page.

    >>> page = table("Counts", (), [("Documents", "1,200")])
    >>> '<th scope="row"><span class="name">Documents</span></th><td>1,200</td>' in page
    True
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    start = f"<thead><tr>{head}</tr></thead>" if header else ""
    style = "" if header else ' class="pairs"'
    return (
        f'<div class="wide" role="region" aria-label="{escape(caption)}" tabindex="0">'
        f"<table{style}><caption>{escape(caption)}</caption>{start}"
        f"<tbody>{''.join(map(_row, rows))}</tbody></table></div>"
    )


def _row(cells: Sequence[str]) -> str:
    name, *values = cells
    rest = "".join(f"<td>{escape(value)}</td>" for value in values)
    return f'<tr><th scope="row"><span class="name">{escape(name)}</span></th>{rest}</tr>'
