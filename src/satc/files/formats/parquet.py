"""Parquet: rows read batch by batch, and batches written under one schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.archives import reading_errors
from satc.files.faults import OnFault
from satc.files.formats.rows import Row, Rows, check_column_names

BATCH_ROWS = 1_000


def write_parquet(path: Path, schema: Any, batches: Iterable[Any]) -> None:
    """Write record batches, or tables, one after the other."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, schema) as writer:
        for batch in batches:
            writer.write(batch)


def read_parquet(path: Path, on_fault: OnFault) -> Rows:
    """Yield the rows; one that cannot be used goes to `on_fault`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with reading_errors(path), pq.ParquetFile(path) as file:
            check_column_names(file.schema_arrow.names, path)
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                yield from _rows(batch, path, number, on_fault)
                number += batch.num_rows
    except (pa.ArrowException, UnicodeDecodeError) as error:  # a damaged column name
        raise DataError(
            f"{path} must be a Parquet file, but is damaged or none: {error}"
        ) from error


def _rows(batch: Any, path: Path, before: int, on_fault: OnFault) -> Iterator[Row]:
    """Yield the rows of a batch.

    A batch with a value that Python cannot hold, as a date in the year 100,000, is converted row by
    row, so that the message names the row.
    """
    try:
        found = batch.to_pylist()
    except (OverflowError, ValueError) as error:
        if batch.num_rows > 1:
            for i in range(batch.num_rows):
                yield from _rows(batch.slice(i, 1), path, before + i, on_fault)
        else:
            on_fault(DataError(f"{path}, row {before + 1} holds what cannot be read: {error}"))
        return
    for number, values in enumerate(found, start=before + 1):
        yield Row(f"{path}, row {number}", values)
