"""The texts of a workbook, which cells name by their number; they are kept in a temporary file.

A workbook holds each text once, in one list. Texts are held in memory up to `IN_MEMORY` bytes and
in temporary files beyond, so that memory does not grow with the file.
"""

from __future__ import annotations

import struct
import tempfile
from typing import IO

from satc.files.formats.xlsx.escapes import unescape_text
from satc.files.formats.xlsx.xml_parts import PartHandler, parse_part

IN_MEMORY = 1 << 22  # bytes
_BLOCK = 4_096  # places that are read at once
_SHORT = 100  # bytes of a text that is remembered
_REMEMBERED = 10_000  # of them
_PLACE = struct.Struct("<QI")  # where a text begins, and how many bytes it has


class SharedStrings:
    """The list of texts; close it to remove the temporary files."""

    def __init__(self) -> None:
        self._texts = _temporary()
        self._places = _temporary()
        self._end = 0
        self.count = 0
        self._block, self._block_number = b"", -1  # the places that were read last
        self._short: dict[int, str] = {}  # short texts that were read last, such as labels

    def append(self, text: str) -> None:
        """Add a text at the end of the list."""
        content = text.encode()
        self._texts.write(content)
        self._places.write(_PLACE.pack(self._end, len(content)))
        self._end += len(content)
        self.count += 1

    def get(self, number: int) -> str | None:
        """Return a text by its number; None if there is none. No text is appended after that."""
        if number in self._short:
            return self._short[number]
        if not 0 <= number < self.count:
            return None
        start, length = self._place(number)
        self._texts.seek(start)
        text = self._texts.read(length).decode()
        if length <= _SHORT:
            self._remember(number, text)
        return text

    def _place(self, number: int) -> tuple[int, int]:
        block, index = divmod(number, _BLOCK)
        if block != self._block_number:
            self._places.seek(block * _BLOCK * _PLACE.size)
            self._block, self._block_number = self._places.read(_BLOCK * _PLACE.size), block
        start, length = _PLACE.unpack_from(self._block, index * _PLACE.size)
        return start, length

    def _remember(self, number: int, text: str) -> None:
        if len(self._short) >= _REMEMBERED:
            self._short.clear()
        self._short[number] = text

    def close(self) -> None:
        """Remove the temporary files."""
        self._texts.close()
        self._places.close()


def _temporary() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)


def read_shared_strings(content: IO[bytes], strings: SharedStrings, where: str) -> None:
    """Read the list of texts of a workbook."""
    for _ in parse_part(content, _Handler(strings, where)):
        pass


class _Handler(PartHandler):
    def __init__(self, strings: SharedStrings, where: str) -> None:
        super().__init__(where)
        self._strings = strings

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "si":
            self.reset_text()
        else:
            self.start_text(name)

    def end(self, name: str) -> None:
        if name == "si":
            self._strings.append(unescape_text(self.text()))
        else:
            self.end_text(name)
