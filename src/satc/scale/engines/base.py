"""`Engine`: an Ibis connection, and the operations that differ between engines.

An engine opens tables, computes expressions, and applies functions to Arrow batches of a table.
Its exceptions are raised as `EngineError` with a message of one line.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import ibis
import pyarrow as pa

from satc.errors import EngineError
from satc.scale.engines.batches import Batches, MapBatches

BATCH_ROWS = 10_000


class Engine(ABC):
    """An Ibis connection, with the operations that differ between engines."""

    name: str
    connection: Any

    def open(self, files: str) -> Any:
        """Return a table of Parquet files, given by a path, a directory, or a pattern."""
        with self.one_line_errors(f"{files} cannot be read"):
            return self.connection.read_parquet(files)

    def run(self, expression: Any) -> pa.Table:
        """Compute an expression."""
        with self.one_line_errors("the computation failed"):
            return expression.to_pyarrow()

    def batches(self, expression: Any, rows: int = BATCH_ROWS) -> Batches:
        """Compute an expression, and return its rows in batches."""
        with self.one_line_errors("the computation failed"):
            yield from expression.to_pyarrow_batches(chunk_size=rows)

    @abstractmethod
    def temporary_table(self, rows: pa.Table) -> Any:
        """Copy a small Arrow table into the engine, and return the engine's table."""

    @abstractmethod
    def map_batches(
        self,
        table: Any,
        function: MapBatches,
        schema: pa.Schema,
        *,
        by: str | None = None,
        rows: int = BATCH_ROWS,
    ) -> Any:
        """Apply a function to the batches of a table; return a table of its results.

        Several threads or workers call the function, each with some of the batches. With `by`, the
        name of a column, rows with the same value in it come in one batch, next to each other, and
        the value comes in no other batch. `rows` is the approximate size of a batch.
        """

    def map_batches_once(
        self,
        table: Any,
        function: MapBatches,
        schema: pa.Schema,
        *,
        by: str | None = None,
        rows: int = BATCH_ROWS,
    ) -> Any:
        """Do the same as `map_batches`, and keep the results, however often they are read."""
        return self.map_batches(table, function, schema, by=by, rows=rows)

    @abstractmethod
    def keep(self, expression: Any) -> Any:
        """Compute an expression once, and return the engine's table of its results."""

    @abstractmethod
    def forget(self, kept: Any) -> None:
        """Free the space of results that were kept; nothing may read them afterwards."""

    @abstractmethod
    def close(self) -> None:
        """Release the resources of the engine."""

    @abstractmethod
    def faults(self) -> tuple[type[Exception], ...]:
        """Return the exception types of the engine."""

    @contextmanager
    def one_line_errors(self, what: str) -> Iterator[None]:
        """Raise exceptions of the engine as `EngineError`, with the first line of their message."""
        try:
            yield
        except (*self.faults(), ibis.common.exceptions.IbisError) as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            raise EngineError(
                f"{self.name}: {what}: {(lines or ['no reason given'])[0]}"
            ) from error

    complaints = one_line_errors  # the former name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def new_name() -> str:
    """Return a name that no other table has."""
    return f"satc_{uuid.uuid4().hex}"
