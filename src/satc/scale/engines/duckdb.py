"""DuckDB inside this process."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from satc.machine.processors import allowed_processors
from satc.scale.engines.base import BATCH_ROWS, Engine, new_name, release_with
from satc.scale.engines.batches import (
    Batches,
    GroupCheck,
    MapBatches,
    SplitGroupError,
    whole_groups,
)
from satc.scale.engines.threads import map_on_threads


class DuckDBEngine(Engine):
    """DuckDB in this process; data beyond `memory` is written to files in the directory `spill`."""

    name = "duckdb"
    moves_rows = False

    def __init__(
        self, *, memory: str | None = None, threads: int | None = None, spill: str | None = None
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="satc-", dir=spill)
        self._threads = threads or allowed_processors()
        settings: dict[str, Any] = {
            "temp_directory": self._folder.name,
            "preserve_insertion_order": False,  # expressions that need an order say so
        }
        if memory is not None:
            settings["memory_limit"] = memory
        if threads is not None:
            settings["threads"] = threads
        with self.one_line_errors("it cannot be started"):
            self.connection = ibis.duckdb.connect(**settings)

    def temporary_table(self, rows: pa.Table) -> Any:
        """Create a temporary table."""
        with self.one_line_errors("a temporary table cannot be created"):
            return self.connection.create_table(new_name(), rows, temp=True)

    def map_batches(
        self,
        table: Any,
        function: MapBatches,
        schema: pa.Schema,
        *,
        by: str | None = None,
        rows: int = BATCH_ROWS,
    ) -> Any:
        """Apply a function to the batches of a table, on threads; write the results to a file."""
        if by is None:
            return self._written(self.batches(table, rows), function, schema)
        found = self._in_stored_order(table, function, schema, by, rows)
        if found is not None:
            return found
        groups = whole_groups(self.batches(table.order_by(by), rows), by)
        return self._written(groups, function, schema)

    def _in_stored_order(
        self, table: Any, function: MapBatches, schema: pa.Schema, by: str, rows: int
    ) -> Any:
        """Read the rows as they are stored; return None if the rows of a group are not together."""
        check = GroupCheck(by)
        try:
            with self._ordered():
                groups = whole_groups(self.batches(table, rows), by)
                found = self._written(check.watch(groups), function, schema)
        except SplitGroupError:
            return None
        if not check.is_proven:
            distinct = self.run(table.aggregate(n=table[by].nunique()))["n"][0].as_py()
            if distinct != check.n_groups:
                return None
        return found

    @contextmanager
    def _ordered(self) -> Iterator[None]:
        """Return rows in the order in which they are stored, inside the `with` block."""
        self.connection.raw_sql("SET preserve_insertion_order = true")
        try:
            yield
        finally:
            self.connection.raw_sql("SET preserve_insertion_order = false")

    def _written(self, batches: Batches, function: MapBatches, schema: pa.Schema) -> Any:
        """Write the results of a function to a file; columns of bytes as they are."""
        bytes_only = [field.name for field in schema if pa.types.is_binary(field.type)]
        others = [field.name for field in schema if field.name not in bytes_only]
        path = self._new_file()
        try:
            with pq.ParquetWriter(
                path,
                schema,
                compression=dict.fromkeys(others, "snappy") | dict.fromkeys(bytes_only, "none"),
                use_dictionary=others,
                write_statistics=others,
            ) as writer:
                map_on_threads(batches, function, writer.write_batch, self._threads)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return self._opened(path)

    def keep(self, expression: Any) -> Any:
        """Write the results to a file."""
        path = self._new_file()
        with self.one_line_errors("the computation failed"):
            expression.to_parquet(path)
        return self._opened(path)

    def _new_file(self) -> Path:
        return Path(self._folder.name) / f"{new_name()}.parquet"

    def _opened(self, path: Path) -> Any:
        table = self.open(str(path))
        release_with(table, partial(path.unlink, missing_ok=True))
        return table

    def faults(self) -> tuple[type[Exception], ...]:
        """Return the exception types of DuckDB."""
        import duckdb

        return (duckdb.Error,)

    def close(self) -> None:
        """Close the connection and delete the temporary files."""
        self.connection.disconnect()
        self._folder.cleanup()
