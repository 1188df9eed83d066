"""Limits of Parquet files, those of CSV: of a cell, of a row and of a file, when unpacked.

What a file would unpack to is summed over the headers of its pages before anything is unpacked. A
page must not unpack to much more than it is packed to. Columns with a dictionary are read without
writing out the dictionary's texts for every row, and rows are read in batches that are so small
that one of them needs little memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files.archives import UNPACKED_LIMIT
from satc.files.formats.csv_tables import CELL_LIMIT
from satc.files.formats.parquet_metadata.footer import check_footer
from satc.files.formats.parquet_metadata.pages import BadHeaderError, Page, pages_of
from satc.files.formats.parquet_metadata.thrift import BadStructError
from satc.files.formats.text_lines import LINE_LIMIT

BATCH_ROWS = 1_000
_PAGE_LIMIT = 1 << 26  # bytes to which any page may unpack
_RATIO, _LARGEST_PAGE = 100, 1 << 29  # larger pages must be packed less, up to this size
_VALUES_LIMIT = 1 << 24  # values in a page of lists


class ReadingPlan(NamedTuple):
    """How a file is read with little memory."""

    batch_rows: int
    dictionaries: list[str]  # columns whose texts stay in their dictionary


def plan_reading(file: Any, path: Path, limit: int = UNPACKED_LIMIT) -> ReadingPlan:
    """Check what an open Parquet file unpacks to, and return how to read it.

    Parameters
    ----------
    file : pyarrow.parquet.ParquetFile
    path : Path
        The same file.
    limit : int
        The bytes to which all pages together may unpack.
    """
    columns = [file.schema.column(i) for i in range(len(file.schema))]
    if longest := max((one.length or 0 for one in columns), default=0):
        _check_cell(longest, path)
    row_bytes = [0.0] * len(columns)
    left = limit
    with path.open("rb") as raw:
        _check_footer(raw, columns, path)
        for group, i in _chunks(file):
            chunk = group.column(i)
            values_per_row = chunk.num_values / max(group.num_rows, 1)
            for page in _checked_pages(raw, chunk, columns[i], path):
                left -= page.unpacked
                if left < 0:
                    raise DataError(f"{path} unpacks to more than {limit:,} bytes")
                if not page.is_dictionary:
                    one = page.unpacked / max(page.n_values, 1) * values_per_row
                    row_bytes[i] = max(row_bytes[i], one)
    worst = max(sum(row_bytes), longest, 1.0)
    return ReadingPlan(int(max(1, min(BATCH_ROWS, LINE_LIMIT // worst))), _dictionaries(columns))


def _check_footer(raw: Any, columns: list[Any], path: Path) -> None:
    try:
        check_footer(raw, columns)
    except BadStructError as error:
        raise DataError(f"{path} must be a Parquet file, but is damaged: {error}") from error


def _chunks(file: Any) -> Iterator[tuple[Any, int]]:
    for g in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(g)
        for i in range(group.num_columns):
            yield group, i


def _dictionaries(columns: list[Any]) -> list[str]:
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def _checked_pages(raw: Any, chunk: Any, column: Any, path: Path) -> Iterator[Page]:
    try:
        for page in pages_of(raw, chunk):
            _check_page(page, column, path)
            yield page
    except BadHeaderError as error:
        raise DataError(
            f"{path} must be a Parquet file, but is damaged: {error} (column {column.path!r})"
        ) from error


def _check_page(page: Page, column: Any, path: Path) -> None:
    allowed = max(_PAGE_LIMIT, min(_RATIO * page.packed, _LARGEST_PAGE))
    if page.unpacked > allowed:
        raise DataError(
            f"{path}: a part of the column {column.path!r} must unpack to at most {allowed:,} "
            f"bytes, but unpacks to {page.unpacked:,}"
        )
    if column.max_repetition_level and page.n_values > _VALUES_LIMIT:
        raise DataError(
            f"{path}: a part of the column {column.path!r} must hold at most {_VALUES_LIMIT:,} "
            f"values, but holds {page.n_values:,}"
        )


def _check_cell(n_characters: int, where: object) -> None:
    if n_characters > CELL_LIMIT:
        raise DataError(f"{where} has a cell of more than {CELL_LIMIT:,} characters")


def text_bytes(batch: Any) -> int:
    """Return how many bytes the texts of a batch have when they are written out for every row."""
    return sum(int(_sum(_lengths(one, "binary_length"))) for one in _texts(batch))


def check_row(row: Any, where: str) -> None:
    """Refuse a batch of one row if a text, or all of them together, are too long."""
    for one in _texts(row):
        _check_cell(int(_max(_lengths(one, "utf8_length"))), where)
    if text_bytes(row) > LINE_LIMIT:
        raise DataError(f"{where} is longer than {LINE_LIMIT:,} bytes")


def has_long_text(batch: Any) -> bool:
    """Whether a text may be longer than a cell, or the batch should be read in smaller parts."""
    longest = max((int(_max(_lengths(one, "binary_length"))) for one in _texts(batch)), default=0)
    return longest > CELL_LIMIT or text_bytes(batch) > LINE_LIMIT


def check_numbers(file: Any, path: Path, limit: int) -> None:
    """Refuse a file whose numbers take more memory than `limit`; equal ones are packed well."""
    if 8 * sum(group.column(i).num_values for group, i in _chunks(file)) > limit:
        raise DataError(f"{path} unpacks to more than {limit:,} bytes")


def check_texts(column: Any, path: Path, limit: int) -> None:
    """Refuse a column whose texts, written out for every row, are longer than `limit`."""
    for chunk in column.chunks:
        for texts in _texts_in(chunk):
            limit -= int(_sum(_lengths(texts, "binary_length")))
    if limit < 0:
        raise DataError(f"{path} has ids that are too long")


def _texts(batch: Any) -> Iterator[Any]:
    """Yield all arrays of texts in a batch, also those in lists and records."""
    for array in batch.columns:
        yield from _texts_in(array)


def _texts_in(array: Any) -> Iterator[Any]:
    import pyarrow.types as types

    kind = array.type
    if types.is_dictionary(kind):
        if not types.is_nested(kind.value_type):
            yield array
    elif types.is_struct(kind):
        for one in array.flatten():
            yield from _texts_in(one)
    elif types.is_map(kind):
        yield from _texts_in(array.keys)
        yield from _texts_in(array.items)
    elif types.is_nested(kind) and hasattr(array, "flatten"):
        yield from _texts_in(array.flatten())
    elif is_text(kind):
        yield array


def is_text(kind: Any) -> bool:
    """Whether values of an Arrow type are texts or bytes of any length."""
    import pyarrow.types as types

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_string_view(kind)
        or types.is_binary_view(kind)
    )


def _lengths(array: Any, function: str) -> Any:
    """Return the length of each text; those of a dictionary are measured once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(array.type):
        return _measured(array, function)
    if not is_text(array.type.value_type):
        return pa.array([], pa.int64())
    return pc.take(_measured(array.dictionary, function), array.indices)


def _measured(texts: Any, function: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_binary(texts.type) or pa.types.is_large_binary(texts.type):
        function = "binary_length"
    return pc.cast(pc.call_function(function, [texts]), pa.int64())


def _sum(lengths: Any) -> int:
    import pyarrow.compute as pc

    return pc.sum(lengths).as_py() or 0


def _max(lengths: Any) -> int:
    import pyarrow.compute as pc

    return pc.max(lengths).as_py() or 0
