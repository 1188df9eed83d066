"""The pages of a Parquet file: how large they are when unpacked, before anything is unpacked.

A column of a Parquet file is a chain of packed pages. Each begins with a header in Thrift's compact
protocol that says how large the page is when unpacked, and a reader allocates that much. So a small
file can take all memory. The sizes at the end of the file are no protection, because a reader goes
by the headers of the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from satc.files.formats.parquet_metadata.thrift import BadStructError, read_struct

_HEADER_STEP, _HEADER_LIMIT = 1 << 13, 1 << 24  # bytes of a header, which may hold statistics
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
            fields, length = read_struct(data)
            break
        except BadStructError as error:
            raise BadHeaderError(f"the header of a page cannot be read: {error}") from error
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
