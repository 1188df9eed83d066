"""JSON objects written and read one at a time: a line each, or in a list."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from satc.errors import DataError
from satc.files.archives import opened
from satc.files.atomic import placed
from satc.files.exchange.values import to_json

CHUNK = 1 << 20  # bytes
LIMIT = 1 << 26  # characters of one object
_SPACE = " \t\r\n"


def write_lines(objects: Iterable[dict[str, Any]], path: Path) -> int:
    """Write an object per line; return how many there were."""
    count = 0
    with placed(path) as temporary, temporary.open("x", encoding="utf-8", newline="\n") as file:
        for value in objects:
            file.write(f"{to_json(value)}\n")
            count += 1
    return count


def write_list(objects: Iterable[dict[str, Any]], path: Path) -> int:
    """Write a list, an object per line; return how many there were."""
    count = 0
    with placed(path) as temporary, temporary.open("x", encoding="utf-8", newline="\n") as file:
        file.write("[")
        for count, value in enumerate(objects, start=1):
            file.write(f"{',' if count > 1 else ''}\n{to_json(value)}")
        file.write("\n]\n")
    return count


class Item(NamedTuple):
    """Where an object stands ("tasks.json, task 3"), and the object."""

    where: str
    value: dict[str, Any]


def read_list(path: Path, noun: str = "item") -> Iterator[Item]:
    """Yield the objects of a list; `noun` is what the errors call one."""
    with opened(path) as file:
        text = _Text(file, path)
        text.expect("[", f"{path} must be a JSON list of {noun}s")
        number = 0
        while text.peek() != "]" or number:
            number += 1
            where = f"{path}, {noun} {number}"
            yield Item(where, text.object(where))
            if text.peek() != ",":
                break
            text.take()
        text.expect("]", f"{path}: after {noun} {number} a comma or the end of the list must come")
        if text.peek():
            raise DataError(f"{path} must end with its list, but {text.peek()!r} follows")


class _Text:
    """The characters of a file from where reading has come, as many as are needed at a time."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file = file
        self._path = path
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder()
        self._text = ""
        self._at = 0

    def peek(self) -> str:
        """Return the next character that is no space, or an empty string at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more(CHUNK):
                return ""

    def take(self) -> None:
        self._at += 1

    def expect(self, character: str, rule: str) -> None:
        found = self.peek()
        if found != character:
            raise DataError(f"{rule}, but {repr(found) if found else 'the end of the file'} comes")
        self.take()

    def object(self, where: str) -> dict[str, Any]:
        if self.peek() != "{":
            raise DataError(f"{where} must be a JSON object, but begins with {self.peek()!r}")
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                # Each time as much again, so that a long object is not begun too often.
                if self._left() > LIMIT or not self._more(max(CHUNK, self._left())):
                    raise DataError(f"{where} must be JSON, but is not: {error}") from error
                continue
            _check_text(self._text[self._at : end], value, where)
            self._at = end
            return dict(value)

    def _left(self) -> int:
        return len(self._text) - self._at

    def _more(self, size: int) -> bool:
        data = self._file.read(size)
        try:
            text = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise DataError(f"{self._path} must be UTF-8, but is not: {error.reason}") from error
        self._text, self._at = self._text[self._at :] + text, 0
        return bool(data)


def _check_text(source: str, value: Any, where: str) -> None:
    if "\\ud" in source.lower():  # half of a surrogate pair is no text
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise DataError(f"{where} must be text, but has half of a surrogate pair") from error
