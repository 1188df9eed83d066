"""Lines of a UTF-8 text file, packed or not, with or without a byte order mark."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

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
        number = 0
        while line := file.readline(LINE_LIMIT + 1):
            number += 1
            if number == 1:
                line = _without_mark(line, path)
            if len(line) > LINE_LIMIT:
                raise DataError(f"{path}, line {number} is longer than {LINE_LIMIT:,} bytes")
            yield _decode(line, f"{path}, line {number}", on_fault)


def _without_mark(line: bytes, path: Path) -> bytes:
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{path} must be UTF-8, but is UTF-16; save it as UTF-8")
    return line.removeprefix(b"\xef\xbb\xbf")


def _decode(line: bytes, where: str, on_fault: OnFault) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"its byte {error.start + 1} is 0x{line[error.start]:02x}"
        on_fault(DataError(f"{where} must be UTF-8, but {byte}"))
        return ""
