"""A JSON file that is one list of objects, written and read one object at a time.

The reader is ours and not ijson's: ijson keeps a path for every open bracket, so that 16,000 nested
brackets (a file of 32 KB) take 600 MB; it replaces half of a surrogate pair by ``?`` without an
error; and it refuses integers beyond 64 bits.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from satc.errors import DataError
from satc.files.archives import open_unpacked
from satc.files.formats.json_texts import (
    RepeatedNameError,
    has_escaped_surrogate,
    without_repetition,
)
from satc.files.formats.rows import Row

CHUNK = 1 << 20  # bytes that are read at a time
OBJECT_LIMIT = 1 << 26  # characters of one object
_SPACE = " \t\r\n"


def write_json_list(path: Path, lines: Iterable[str], *, comma_first: bool = False) -> int:
    """Write a new file of objects that are JSON texts already; return their number.

    Each object has a line of its own. The comma between two objects ends the first line, or with
    `comma_first` begins the second.
    """
    first, between = ("\n ", "\n,") if comma_first else ("\n", ",\n")
    count = 0
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write("[")
        for count, line in enumerate(lines, start=1):
            file.write(f"{between if count > 1 else first}{line}")
        file.write("\n]\n")
    return count


def read_json_list(path: Path, noun: str = "item", list_as: str | None = None) -> Iterator[Row]:
    """Yield the objects of the list; error messages call an object by `noun` and its number.

    With `list_as`, an item may be a list; its row has the list under this name.
    """
    with open_unpacked(path) as file:
        text = _Text(file, path)
        text.expect("[", f"{path} must be a JSON list of {noun}s")
        number = 0
        while text.peek() != "]" or number:
            number += 1
            where = f"{path}, {noun} {number}"
            yield Row(where, text.read_object(where, list_as))
            if text.peek() != ",":
                break
            text.skip()
        text.expect("]", f"{path}: after {noun} {number} a comma or the end of the list must come")
        if text.peek():
            raise DataError(f"{path} must end with its list, but {text.peek()!r} follows")


class _Text:
    """The text of a file from the current position on; only the part that is needed is held."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file = file
        self._path = path
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(object_pairs_hook=without_repetition)
        self._text = ""
        self._position = 0

    def peek(self) -> str:
        """Return the next character that is not a space, or an empty string at the end."""
        while True:
            while self._position < len(self._text):
                if self._text[self._position] not in _SPACE:
                    return self._text[self._position]
                self._position += 1
            if not self._read_more(CHUNK):
                return ""

    def skip(self) -> None:
        """Go past one character."""
        self._position += 1

    def expect(self, character: str, rule: str) -> None:
        """Go past a character that must come next; `rule` begins the error message."""
        found = self.peek()
        if found != character:
            raise DataError(f"{rule}, but {repr(found) if found else 'the end of the file'} comes")
        self.skip()

    def read_object(self, where: str, list_as: str | None = None) -> dict[str, Any]:
        """Go past an object and return it; a list becomes an object that has it as `list_as`."""
        is_list = list_as is not None and self.peek() == "["
        if self.peek() != "{" and not is_list:
            raise DataError(f"{where} must be a JSON object, but begins with {self.peek()!r}")
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._position)
            except RepeatedNameError as error:
                raise DataError(f"{where} must be JSON, but is not: {error}") from error
            except (ValueError, RecursionError) as error:
                # The object may be cut off. Doubling the text bounds how often it is parsed again.
                left = self._left()
                if left > OBJECT_LIMIT or not self._read_more(max(CHUNK, left)):
                    raise DataError(f"{where} must be JSON, but is not: {error}") from error
                continue
            _check_surrogates(self._text[self._position : end], value, where)
            self._position = end
            return {str(list_as): value} if is_list else dict(value)

    def _left(self) -> int:
        return len(self._text) - self._position

    def _read_more(self, size: int) -> bool:
        data = self._file.read(size)
        try:
            text = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise DataError(f"{self._path} must be UTF-8, but is not: {error.reason}") from error
        self._text, self._position = self._text[self._position :] + text, 0
        return bool(data)


def _check_surrogates(source: str, value: Any, where: str) -> None:
    if has_escaped_surrogate(source):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise DataError(f"{where} must be text, but has half of a surrogate pair") from error
