"""Cells that a spreadsheet would run as a formula.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return is one, unless it is
a number. A ``'`` in front makes it a text.
"""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def is_formula(text: str) -> bool:
    """Say whether a spreadsheet would run the text.

    >>> [is_formula(text) for text in ("=1+1", "-2", "+cmd", "a=b")]
    [True, False, True, False]
    """
    return text.startswith(_FORMULA) and not _is_number(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
