"""Parquet: rows read batch by batch, within limits, and batches written under one schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.archives import UNPACKED_LIMIT, reading_errors
from satc.files.faults import OnFault
from satc.files.formats.parquet_limits import (
    ReadingPlan,
    check_row,
    has_long_text,
    plan_reading,
    text_bytes,
)
from satc.files.formats.rows import Row, Rows, check_column_names


def write_parquet(path: Path, schema: Any, batches: Iterable[Any]) -> None:
    """Write record batches, or tables, one after the other."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, schema) as writer:
        for batch in batches:
            writer.write(batch)


def read_parquet(path: Path, on_fault: OnFault) -> Rows:
    """Yield the rows; one that cannot be used goes to `on_fault`."""
    import pyarrow as pa

    number, left = 0, UNPACKED_LIMIT
    try:
        with open_parquet(path) as (file, schema, plan):
            for batch in _batches(file, plan):
                left -= text_bytes(batch)
                if left < 0:
                    raise DataError(f"{path} unpacks to more than {UNPACKED_LIMIT:,} bytes")
                yield from _rows(batch, schema, path, number, on_fault)
                number += batch.num_rows
    except (pa.ArrowException, UnicodeDecodeError) as error:  # a damaged column name
        raise DataError(
            f"{path} must be a Parquet file, but is damaged or none: {error}"
        ) from error


@contextmanager
def open_parquet(path: Path, limit: int = UNPACKED_LIMIT) -> Iterator[tuple[Any, Any, ReadingPlan]]:
    """Open a file within limits; yield it, its schema, and how to read it.

    Columns of texts are read as dictionaries.
    """
    import pyarrow.parquet as pq

    with reading_errors(path), pq.ParquetFile(path) as file:
        check_column_names(file.schema_arrow.names, path)
        plan, schema = plan_reading(file, path, limit), file.schema_arrow
        with pq.ParquetFile(path, read_dictionary=plan.dictionaries) as encoded:
            yield encoded, schema, plan


def _batches(file: Any, plan: ReadingPlan) -> Iterator[Any]:
    """Yield batches, none of them across row groups: lists of a dictionary are not joined."""
    for group in range(file.metadata.num_row_groups):
        yield from file.iter_batches(batch_size=plan.batch_rows, row_groups=[group])


def _rows(batch: Any, schema: Any, path: Path, before: int, on_fault: OnFault) -> Iterator[Row]:
    """Yield the rows of a batch.

    A batch with long texts is divided, so that only a few of them are in memory. So is a batch with
    a value that Python cannot hold, as a date in the year 100,000, so that the message names the
    row.
    """
    where = f"{path}, row {before + 1}"
    try:
        if not has_long_text(batch):
            found = _values(batch, schema)
        elif batch.num_rows > 1:
            found = None
        else:
            check_row(batch, where)
            found = _values(batch, schema)
    except DataError as error:
        on_fault(error)
        return
    except (OverflowError, ValueError) as error:
        if batch.num_rows == 1:
            on_fault(DataError(f"{where} holds what cannot be read: {error}"))
            return
        found = None
    if found is None:
        half = batch.num_rows // 2
        yield from _rows(batch.slice(0, half), schema, path, before, on_fault)
        yield from _rows(batch.slice(half), schema, path, before + half, on_fault)
        return
    for number, values in enumerate(found, start=before + 1):
        yield Row(f"{path}, row {number}", values)


def _values(batch: Any, schema: Any) -> list[dict[str, Any]]:
    """Return the rows of a batch by column; texts are written out."""
    import pyarrow as pa

    found: list[dict[str, Any]]
    try:
        found = batch.cast(schema).to_pylist()
    except pa.ArrowNotImplementedError:  # of texts in a record
        found = batch.to_pylist()
    return found
