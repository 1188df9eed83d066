"""The engines that compute expressions: DuckDB inside this process, or Spark on a cluster.

An engine opens tables, computes expressions, and applies functions to Arrow batches of a table.
Its exceptions are raised as `EngineError` with a message of one line.
"""

from __future__ import annotations

import tempfile
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Self

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from satc.errors import EngineError
from satc.inputs import choice
from satc.scale.spark import start_spark

Batches = Iterator[pa.RecordBatch]
MapBatches = Callable[[Batches], Batches]
_BATCH_ROWS = 10_000


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

    def batches(self, expression: Any) -> Batches:
        """Compute an expression, and return its rows in batches."""
        with self.one_line_errors("the computation failed"):
            yield from expression.to_pyarrow_batches(chunk_size=_BATCH_ROWS)

    @abstractmethod
    def temporary_table(self, rows: pa.Table) -> Any:
        """Copy a small Arrow table into the engine, and return the engine's table."""

    @abstractmethod
    def map_batches(self, table: Any, function: MapBatches, schema: pa.Schema) -> Any:
        """Apply a function to the batches of a table; return a table of its results."""

    def map_batches_once(self, table: Any, function: MapBatches, schema: pa.Schema) -> Any:
        """Do the same as `map_batches`, and keep the results, however often they are read."""
        return self.map_batches(table, function, schema)

    @abstractmethod
    def keep(self, expression: Any) -> Any:
        """Compute an expression once, and return the engine's table of its results."""

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


class DuckDBEngine(Engine):
    """DuckDB in this process; data beyond `memory` is written to files in the directory `spill`."""

    name = "duckdb"

    def __init__(
        self, *, memory: str | None = None, threads: int | None = None, spill: str | None = None
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="satc-", dir=spill)
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
            return self.connection.create_table(_name(), rows, temp=True)

    def map_batches(self, table: Any, function: MapBatches, schema: pa.Schema) -> Any:
        """Apply a function to the batches of a table; the results are written to a file."""
        path = Path(self._folder.name) / f"{_name()}.parquet"
        with pq.ParquetWriter(path, schema) as writer:
            for batch in function(self.batches(table)):
                writer.write_batch(batch)
        return self.open(str(path))

    def keep(self, expression: Any) -> Any:
        """Write the results to a file."""
        path = Path(self._folder.name) / f"{_name()}.parquet"
        with self.one_line_errors("the computation failed"):
            expression.to_parquet(path)
        return self.open(str(path))

    def faults(self) -> tuple[type[Exception], ...]:
        """Return the exception types of DuckDB."""
        import duckdb

        return (duckdb.Error,)

    def close(self) -> None:
        """Close the connection and delete the temporary files."""
        self.connection.disconnect()
        self._folder.cleanup()


class SparkEngine(Engine):
    """Spark, on a cluster given by the URL of its master, or in the user's own session."""

    name = "spark"

    def __init__(self, *, master: str | None = None, session: Any = None) -> None:
        self._own = session is None
        self.session = start_spark(master) if session is None else session
        self.connection = ibis.pyspark.connect(self.session)
        self._kept: list[Any] = []

    def run(self, expression: Any) -> pa.Table:
        """Compute an expression, with Arrow, which distinguishes NaN from null."""
        with self.one_line_errors("the computation failed"):
            return self._frame(expression).toArrow()

    def batches(self, expression: Any) -> Batches:
        """Compute an expression, and return its rows partition by partition."""
        schema = expression.schema().to_pyarrow()
        with self.one_line_errors("the computation failed"):
            rows = self._frame(expression).toLocalIterator()
            while some := [row.asDict() for row in islice(rows, _BATCH_ROWS)]:
                yield pa.RecordBatch.from_pylist(some, schema)

    def temporary_table(self, rows: pa.Table) -> Any:
        """Create a temporary view."""
        with self.one_line_errors("a temporary table cannot be created"):
            return self._view(self.session.createDataFrame(rows))

    def map_batches(self, table: Any, function: MapBatches, schema: pa.Schema) -> Any:
        """Apply a function to the batches of a table, on the workers."""
        from pyspark.sql.pandas.types import from_arrow_schema

        with self.one_line_errors("the computation failed"):
            return self._view(self._frame(table).mapInArrow(function, from_arrow_schema(schema)))

    def map_batches_once(self, table: Any, function: MapBatches, schema: pa.Schema) -> Any:
        """Apply a function to the batches of a table; the workers keep the results on disk."""
        return self.keep(self.map_batches(table, function, schema))

    def keep(self, expression: Any) -> Any:
        """Let the workers keep the results on disk, after the first time that they are read."""
        from pyspark import StorageLevel

        frame = self._frame(expression)
        self._kept.append(frame.persist(StorageLevel.DISK_ONLY))
        return self._view(frame)

    def _frame(self, expression: Any) -> Any:
        return self.session.sql(self.connection.compile(expression))

    def _view(self, frame: Any) -> Any:
        name = _name()
        frame.createOrReplaceTempView(name)
        return self.connection.table(name)

    def faults(self) -> tuple[type[Exception], ...]:
        """Return the exception types of Spark, and of py4j, which connects Python to it."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        return PySparkException, Py4JError

    def close(self) -> None:
        """Stop the session, unless it is the user's own; delete what the workers have kept."""
        for frame in self._kept:
            frame.unpersist()
        self._kept.clear()
        if self._own:
            self.session.stop()


def _name() -> str:
    return f"satc_{uuid.uuid4().hex}"


def connect(engine: str = "duckdb", *, master: str | None = None, **options: Any) -> Engine:
    """Start an engine. It is a context manager, which closes the engine at the end of the block.

    Parameters
    ----------
    engine : {"duckdb", "spark"}
        The engine to start.
    master : str, optional
        The master of Spark: ``local[4]``, ``spark://host:7077``, ``yarn``, ...
    options
        For DuckDB: ``memory`` (``"4GB"``), ``threads``, ``spill`` (a directory). For Spark:
        ``session``, to use an existing session.

    Examples
    --------
    >>> with connect("duckdb", memory="1GB") as engine:
    ...     engine.name
    'duckdb'
    """
    kind = choice(engine, {"duckdb": DuckDBEngine, "spark": SparkEngine}, "engine")
    if master is not None:
        if kind is DuckDBEngine:
            raise ValueError(
                "master must be given with engine 'spark' only, but engine is 'duckdb'"
            )
        options["master"] = master
    return kind(**options)
