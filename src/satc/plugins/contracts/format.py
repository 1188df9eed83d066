"""The contract of a format: an object with `write`, `read`, `suffix` and `media_type`.

* ``write(documents, path, classes, layout)`` writes all documents (`ExportedDocument`) to a file.
  The path is a temporary one with the right ending: satc puts the file at its place when it is
  complete.
* ``read(path)`` returns an iterator of the decisions (`ImportedDecision`) in a file.
* ``suffix`` is the ending of its files, such as ``".toml"``.
* ``media_type`` is their media type, such as ``"application/toml"``.

It can be a module, an instance, or a `satc.files.exchange.Format`.
"""

from __future__ import annotations

import re
from typing import Any

_SUFFIX = re.compile(r"(\.[A-Za-z0-9_-]{1,20})+")
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")


def check_format(value: Any) -> None:
    """Refuse an object that is not a format."""
    for name in ("write", "read"):
        if not callable(getattr(value, name, None)):
            raise ValueError(f"it must have the function {name!r}, but {value!r:.80} has none")
    _check_text(value, "suffix", _SUFFIX, "the ending of a file, such as '.toml'")
    _check_text(value, "media_type", _MEDIA_TYPE, "a media type, such as 'application/toml'")


def _check_text(value: Any, name: str, form: re.Pattern[str], wanted: str) -> None:
    text = getattr(value, name, None)
    if not isinstance(text, str) or not form.fullmatch(text):
        raise ValueError(f"its {name!r} must be {wanted}, but is {text!r:.80}")
