"""The pages of a Parquet file: how large they are when unpacked, before anything is unpacked.

A column of a Parquet file is a chain of packed pages. Each begins with a header in Thrift's compact
protocol that says how large the page is when unpacked, and a reader allocates that much. So a small
file can take all memory. The sizes at the end of the file are no protection, because a reader goes
by the headers of the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, NamedTuple

_HEADER_STEP, _HEADER_LIMIT = 1 << 13, 1 << 24  # bytes of a header, which may hold statistics
_DEPTH_LIMIT = 10
_TYPE, _UNPACKED, _PACKED, _NUM_VALUES = 1, 2, 3, 1  # numbers of fields
_HEADERS = (5, 7, 8)  # fields with the header of a data page, of a dictionary, of a newer data page
_DICTIONARY = 2  # the type of a page


class Page(NamedTuple):
    """Sizes of a page in bytes, and how many values it holds."""

    packed: int
    unpacked: int
    n_values: int
    is_dictionary: bool


class BadHeaderError(ValueError):
    """The bytes are no header of a page."""


def pages_of(file: IO[bytes], chunk: Any) -> Iterator[Page]:
    """Yield the pages of a column chunk, as a reader finds them."""
    start, first = chunk.data_page_offset, chunk.dictionary_page_offset
    if chunk.has_dictionary_page and first is not None and 0 < first < start:
        start = first
    end, seen = start + chunk.total_compressed_size, 0
    while start < end and seen < chunk.num_values:
        page, length = _page(file, start)
        yield page
        start += length + page.packed
        seen += 0 if page.is_dictionary else page.n_values


def _page(file: IO[bytes], start: int) -> tuple[Page, int]:
    """Return the page that begins at this place, and the length of its header."""
    size = _HEADER_STEP
    while True:
        file.seek(start)
        data = file.read(size)
        try:
            fields, length = _struct(data, 0, 0)
            break
        except IndexError:
            if len(data) < size or size >= _HEADER_LIMIT:
                raise BadHeaderError("the header of a page is cut off") from None
            size *= 8
    described: Any = next((fields[one] for one in _HEADERS if one in fields), {})
    packed, unpacked = fields.get(_PACKED, -1), fields.get(_UNPACKED, -1)
    n_values = described.get(_NUM_VALUES) if isinstance(described, dict) else None
    if not all(isinstance(one, int) and one >= 0 for one in (packed, unpacked, n_values or 0)):
        raise BadHeaderError("the header of a page has no sizes")
    is_dictionary = fields.get(_TYPE) == _DICTIONARY
    return Page(packed, unpacked, n_values or 0, is_dictionary), length


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Read a struct; return its fields by number, and where it ends."""
    if depth > _DEPTH_LIMIT:
        raise BadHeaderError("the header of a page is nested too deeply")
    fields: dict[int, Any] = {}
    number = 0
    while True:
        head = data[at]
        at += 1
        if head == 0:
            return fields, at
        if head >> 4:
            number += head >> 4
        else:
            number, at = _zigzag(data, at)
        fields[number], at = _value(data, at, head & 15, depth)


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2):  # true, false
        return kind == 1, at
    if kind == 3:  # a byte
        return data[at], at + 1
    if kind in (4, 5, 6):  # whole numbers
        return _zigzag(data, at)
    if kind == 7:  # a floating point number
        return None, at + 8
    if kind == 8:  # bytes
        length, at = _varint(data, at)
        return None, _within(data, at + length)
    if kind in (9, 10):
        return None, _skip_list(data, at, depth)
    if kind == 12:
        return _struct(data, at, depth + 1)
    raise BadHeaderError("the header of a page has a field of an unknown kind")


def _skip_list(data: bytes, at: int, depth: int) -> int:
    head = data[at]
    at += 1
    length = head >> 4
    if length == 15:
        length, at = _varint(data, at)
    kind = head & 15
    for _ in range(length):
        _, at = (None, at + 1) if kind in (1, 2) else _value(data, at, kind, depth + 1)
        _within(data, at)
    return at


def _within(data: bytes, at: int) -> int:
    if at > len(data):
        raise IndexError(at)
    return at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if not byte & 128:
            return value, at
        shift += 7
        if shift > 63:
            raise BadHeaderError("a number in the header of a page is too long")


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at
