"""Small tables for notebooks, which bring their own style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def notebook_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML; all texts are escaped.

    >>> notebook_table("Tags", ["name"], [["<b>"]])
    '<table><caption>Tags</caption><tr><th>name</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    lines = "".join(_row("td", row) for row in rows)
    return f"<table><caption>{escape(caption)}</caption>{_row('th', header)}{lines}</table>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
