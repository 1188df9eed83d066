"""Texts that a spreadsheet would run as a formula, and how CSV and TSV make them harmless.

A cell is run if it begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return and is not a
number; spreadsheets may drop spaces and ``'`` in front before they look. A ``'`` in front of the
cell makes it a text. Reading can remove this ``'`` again.
"""

from __future__ import annotations

import unicodedata

# Separators, control characters, and characters of a width of zero: spreadsheets may drop them.
_WITHOUT_INK = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Me"))
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def is_formula(text: str) -> bool:
    """Say whether a spreadsheet would run the text as it is.

    >>> [is_formula(text) for text in ("=1+1", "-2", "+cmd", "a=b")]
    [True, False, True, False]
    """
    return text.startswith(_FORMULA_STARTS) and not _is_number(text)


def escape_formula(text: str) -> str:
    """Put a ``'`` before a formula; return other texts unchanged.

    >>> [escape_formula(text) for text in ("=1+1", " =1+1", "'=1+1", "-1", "it's")]
    ["'=1+1", "' =1+1", "''=1+1", '-1', "it's"]
    """
    return f"'{text}" if _is_dangerous(text) else text


def unescape_formula(text: str) -> str:
    """Undo `escape_formula`.

    >>> [unescape_formula(text) for text in ("'=1+1", "''=1+1", "'tis", "-1")]
    ['=1+1', "'=1+1", "'tis", '-1']
    """
    return text[1:] if text.startswith("'") and _is_dangerous(text) else text


def _is_dangerous(text: str) -> bool:
    # Nearly all texts begin so, and normalization makes no formula sign of a letter or digit.
    if not text or text[0].isalnum():
        return False
    # A ' in front must not change the answer, else `unescape_formula` would not undo the escape.
    if text.lstrip("'").startswith(("\t", "\r", "\n")):
        return True
    start = text[_ignored(text) :]
    # NFKC turns full-width signs, which some spreadsheets run too, into the plain ones.
    return is_formula(unicodedata.normalize("NFKC", start[:1]) + start[1:])


def _ignored(text: str) -> int:
    r"""Return how many characters in front spreadsheets may drop: ``'``, and those without ink.

    >>> [_ignored(text) for text in ("=1", "' =1", "\u3000\u200b=1", "\x85\u2028=1")]
    [0, 2, 2, 2]
    """
    for place, one in enumerate(text):
        if one != "'" and unicodedata.category(one) not in _WITHOUT_INK:
            return place
    return len(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
