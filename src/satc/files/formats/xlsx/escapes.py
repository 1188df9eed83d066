"""Characters that XML cannot hold, as spreadsheets write them: ``_x0001_`` for U+0001.

A text that looks like such an escape is escaped itself: the text ``_x0041_`` is written as
``_x005F_x0041_``.
"""

from __future__ import annotations

import re

_FORBIDDEN = "\\x00-\\x08\\x0b-\\x1f\ufffe\uffff"  # \r is there, because XML turns it into \n
_TO_ESCAPE = re.compile(f"_(?=x[0-9A-Fa-f]{{4}}[_{_FORBIDDEN}])|[{_FORBIDDEN}]")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def escape_text(text: str) -> str:
    r"""Escape the characters that XML cannot hold.

    >>> escape_text("a\x01b"), escape_text("_x0041_"), escape_text("snake_case")
    ('a_x0001_b', '_x005F_x0041_', 'snake_case')
    """
    return _TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def unescape_text(text: str) -> str:
    r"""Undo `escape_text`; half of a surrogate pair stays as it is.

    >>> unescape_text("a_x0001_b"), unescape_text("_x005F_x0041_"), unescape_text("_xD83D_")
    ('a\x01b', '_x0041_', '_xD83D_')
    """
    return _ESCAPED.sub(_character, text) if "_x" in text else text


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return found[0] if 0xD800 <= code <= 0xDFFF else chr(code)
