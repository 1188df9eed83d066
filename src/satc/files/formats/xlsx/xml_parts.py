"""Parse a part of a workbook, which is XML, as a stream and within limits.

A part comes from a user and may be hostile. So a document type, which could declare entities that
grow without bound, is refused; elements may not be nested deeply, and a tag may not be long.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import IO
from xml.parsers import expat

from satc.errors import DataError

CHUNK = 1 << 16  # bytes that are parsed at a time
MAX_DEPTH = 100
MAX_TAG = 1 << 22  # bytes
MAX_TEXT = 10_000_000  # characters of one cell, as for CSV


class PartHandler(ABC):
    """What happens at the elements of a part; names come without a prefix.

    Text is kept while `listening` is true, until `reset_text`.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.listening = False
        self._in_reading = False
        self._depth = 0
        self._pieces: list[str] = []
        self._length = 0

    @abstractmethod
    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""

    @abstractmethod
    def end(self, name: str) -> None:
        """Handle the end of an element."""

    def reset_text(self) -> None:
        """Forget the text so far."""
        self._pieces, self._length = [], 0

    def text(self) -> str:
        """Return the text so far."""
        return "".join(self._pieces)

    def start_text(self, name: str) -> None:
        """Listen to the texts of a cell; one with several fonts has a text for each.

        A reading, which says how a Japanese text is pronounced, is no part of the text.
        """
        if name == "t":
            self.listening = not self._in_reading
        elif name == "rPh":
            self._in_reading = True

    def end_text(self, name: str) -> None:
        """Listen no longer at the end of a text."""
        if name == "t":
            self.listening = False
        elif name == "rPh":
            self._in_reading = False

    def on_start(self, name: str, attributes: dict[str, str]) -> None:
        """Check the depth; the parser calls this."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise DataError(f"{self.where} must not be nested deeper than {MAX_DEPTH}, but is")
        self.start(name.rpartition(":")[2] if ":" in name else name, attributes)

    def on_end(self, name: str) -> None:
        """Leave an element; the parser calls this."""
        self._depth -= 1
        self.end(name.rpartition(":")[2] if ":" in name else name)

    def on_text(self, text: str) -> None:
        """Keep the text, if it is wanted; the parser calls this."""
        if self.listening:
            self._pieces.append(text)
            self._length += len(text)
            if self._length > MAX_TEXT:
                raise DataError(f"{self.where} has a cell of more than {MAX_TEXT:,} characters")


def parse_part(content: IO[bytes], handler: PartHandler) -> Iterator[None]:
    """Parse a part; after each piece of it, yield, so that results can be taken."""
    parser = _parser(handler)
    fed = 0
    while True:
        chunk = content.read(CHUNK)
        try:
            parser.Parse(chunk, not chunk)
        except (expat.ExpatError, LookupError, ValueError) as error:
            raise DataError(f"{handler.where} must be XML, but is not: {error}") from error
        fed += len(chunk)
        if fed - parser.CurrentByteIndex > MAX_TAG + CHUNK:
            raise DataError(f"{handler.where} has a tag of more than {MAX_TAG:,} bytes")
        yield
        if not chunk:
            return


def _parser(handler: PartHandler) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = handler.on_start
    parser.EndElementHandler = handler.on_end
    parser.CharacterDataHandler = handler.on_text

    def refuse(*_: object) -> None:
        raise DataError(
            f"{handler.where} must have no document type (DOCTYPE), but has one: such a file was "
            "not saved by a spreadsheet program"
        )

    parser.StartDoctypeDeclHandler = refuse
    return parser
