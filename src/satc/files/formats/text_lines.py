"""Lines of a UTF-8 text file, packed or not, with or without a byte order mark."""

from __future__ import annotations

import codecs
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO

from satc.errors import DataError
from satc.files.archives import open_unpacked
from satc.files.faults import OnFault

LINE_LIMIT = 1 << 26  # bytes


def read_lines(path: Path, on_fault: OnFault) -> Generator[str, None, None]:
    """Yield the lines of a file.

    A line that is not UTF-8 is reported to `on_fault`; if that returns, the line is yielded as an
    empty string, so that line numbers stay right.
    """
    with open_unpacked(path) as file:
        for number, line in enumerate(limited_lines(path, file), start=1):
            if number == 1 and line.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise DataError(f"{path} must be UTF-8, but is UTF-16; save it as UTF-8")
            yield decode_utf8(line, f"{path}, line {number}", on_fault)


def limited_lines(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of an open file, without a byte order mark of UTF-8."""
    number = 0
    while line := file.readline(LINE_LIMIT + 1):
        number += 1
        if len(line) > LINE_LIMIT:
            raise DataError(f"{path}, line {number} is longer than {LINE_LIMIT:,} bytes")
        yield line.removeprefix(codecs.BOM_UTF8) if number == 1 else line


def decode_utf8(line: bytes, where: str, on_fault: OnFault, remedy: str = "") -> str:
    """Decode a line; one that is not UTF-8 goes to `on_fault`, and is empty if that returns."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"its byte {error.start + 1} is 0x{line[error.start]:02x}"
        on_fault(DataError(f"{where} must be UTF-8, but {byte}{remedy}"))
        return ""
