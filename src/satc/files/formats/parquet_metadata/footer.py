"""The footer of a Parquet file: what pyarrow would end the process for.

pyarrow reads the footer when it opens a file. But it compares the size statistics of a column with
the schema only when a program asks for the metadata of that column, and ends the process if they do
not fit together; and it does not compare the number of columns. So both are compared here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

from satc.files.formats.parquet_metadata.thrift import BadStructError, Fields, read_struct

_ROW_GROUPS, _COLUMNS, _METADATA, _SIZES = 4, 1, 3, 16  # numbers of fields, from the file inwards
_BYTES, _REPETITIONS, _DEFINITIONS = 1, 2, 3  # fields of size statistics


def check_footer(file: IO[bytes], columns: Sequence[Any]) -> None:
    """Check the metadata of all columns of a file.

    Parameters
    ----------
    file
        The file, from which pyarrow has read the footer before.
    columns
        The columns of its `pyarrow.parquet.ParquetSchema`.

    Raises
    ------
    BadStructError
        If the metadata cannot be read, or do not fit the schema; the message says what is wrong.
    """
    for group in _structs(_footer(file), _ROW_GROUPS):
        chunks = _structs(group, _COLUMNS)
        if len(chunks) != len(columns):
            raise BadStructError(f"a part has {len(chunks)} columns instead of {len(columns)}")
        for chunk, column in zip(chunks, columns, strict=True):
            if not _fits(_struct(_struct(chunk, _METADATA), _SIZES), column):
                raise BadStructError(f"the sizes of the column {column.path!r} do not fit its type")


def _footer(file: IO[bytes]) -> Fields:
    """Return the footer, whose length is at the end of the file."""
    file.seek(-8, 2)
    length = int.from_bytes(file.read(4), "little")
    file.seek(-8 - length, 2)
    try:
        return read_struct(file.read(length))[0]
    except IndexError as error:
        raise BadStructError("the footer is cut off") from error
    except BadStructError as error:
        raise BadStructError(f"the footer cannot be read: {error}") from error


def _fits(sizes: Fields, column: Any) -> bool:
    """Whether size statistics have a number for each level, and bytes only where there are any."""
    levels = (
        (_REPETITIONS, column.max_repetition_level),
        (_DEFINITIONS, column.max_definition_level),
    )
    for number, highest in levels:
        counts = sizes.get(number)
        if isinstance(counts, list) and counts and len(counts) != highest + 1:
            return False
    return _BYTES not in sizes or column.physical_type == "BYTE_ARRAY"


def _struct(fields: Fields, number: int) -> Fields:
    found = fields.get(number)
    return found if isinstance(found, dict) else {}


def _structs(fields: Fields, number: int) -> list[Fields]:
    found = fields.get(number)
    if not isinstance(found, list):
        return []
    return [one if isinstance(one, dict) else {} for one in found]
