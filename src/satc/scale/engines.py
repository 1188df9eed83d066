"""Where expressions run: DuckDB inside this process, or Spark on a cluster.

An engine opens tables, runs expressions, and runs functions over their Arrow batches. What an
engine has to complain about comes out as one `EngineError`.
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
_ROWS = 10_000  # of a batch


class Engine(ABC):
    """An Ibis connection, and what the two engines do differently."""

    name: str
    connection: Any

    def open(self, files: str) -> Any:
        """Return the table of some Parquet files: a path, a directory, or a pattern."""
        with self.complaints(f"{files} cannot be read"):
            return self.connection.read_parquet(files)

    def run(self, expression: Any) -> pa.Table:
        """Compute an expression."""
        with self.complaints("the computation failed"):
            return expression.to_pyarrow()

    def batches(self, expression: Any) -> Batches:
        """Compute an expression, and get the rows in batches."""
        with self.complaints("the computation failed"):
            yield from expression.to_pyarrow_batches(chunk_size=_ROWS)

    @abstractmethod
    def lend(self, rows: pa.Table) -> Any:
        """Return a small table of ours as one of the engine's."""

    @abstractmethod
    def map_batches(self, table: Any, function: MapBatches, schema: pa.Schema) -> Any:
        """Return the table of what a function makes of a table's batches."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the engine holds."""

    @abstractmethod
    def faults(self) -> tuple[type[Exception], ...]:
        """Return the exceptions of the engine."""

    @contextmanager
    def complaints(self, what: str) -> Iterator[None]:
        """Say in one line what the engine complains about."""
        try:
            yield
        except (*self.faults(), ibis.common.exceptions.IbisError) as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            raise EngineError(
                f"{self.name}: {what}: {(lines or ['no reason given'])[0]}"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class DuckDBEngine(Engine):
    """DuckDB in this process; beyond `memory` it goes on in files under `spill`."""

    name = "duckdb"

    def __init__(
        self, *, memory: str | None = None, threads: int | None = None, spill: str | None = None
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="satc-", dir=spill)
        settings: dict[str, Any] = {
            "temp_directory": self._folder.name,
            "preserve_insertion_order": False,  # the order is in the expressions
        }
        if memory is not None:
            settings["memory_limit"] = memory
        if threads is not None:
            settings["threads"] = threads
        with self.complaints("it cannot be started"):
            self.connection = ibis.duckdb.connect(**settings)

    def lend(self, rows: pa.Table) -> Any:
        """Make a temporary table."""
        with self.complaints("a table of ours cannot be lent"):
            return self.connection.create_table(_name(), rows, temp=True)

    def map_batches(self, table: Any, function: MapBatches, schema: pa.Schema) -> Any:
        """Run a function over a table's batches; what it makes goes to a file."""
        path = Path(self._folder.name) / f"{_name()}.parquet"
        with pq.ParquetWriter(path, schema) as writer:
            for batch in function(self.batches(table)):
                writer.write_batch(batch)
        return self.open(str(path))

    def faults(self) -> tuple[type[Exception], ...]:
        """Return the exceptions of DuckDB."""
        import duckdb

        return (duckdb.Error,)

    def close(self) -> None:
        """Close the connection and drop the files."""
        self.connection.disconnect()
        self._folder.cleanup()


class SparkEngine(Engine):
    """Spark: a cluster given by its master's URL, or a session of the user's own."""

    name = "spark"

    def __init__(self, *, master: str | None = None, session: Any = None) -> None:
        self._own = session is None
        self.session = start_spark(master) if session is None else session
        self.connection = ibis.pyspark.connect(self.session)

    def run(self, expression: Any) -> pa.Table:
        """Compute an expression; by Arrow, which tells NaN from null."""
        with self.complaints("the computation failed"):
            return self._frame(expression).toArrow()

    def batches(self, expression: Any) -> Batches:
        """Compute an expression, and get the rows partition by partition."""
        schema = expression.schema().to_pyarrow()
        with self.complaints("the computation failed"):
            rows = self._frame(expression).toLocalIterator()
            while some := [row.asDict() for row in islice(rows, _ROWS)]:
                yield pa.RecordBatch.from_pylist(some, schema)

    def lend(self, rows: pa.Table) -> Any:
        """Make a temporary view."""
        with self.complaints("a table of ours cannot be lent"):
            return self._view(self.session.createDataFrame(rows))

    def map_batches(self, table: Any, function: MapBatches, schema: pa.Schema) -> Any:
        """Run a function over a table's batches, on the workers."""
        from pyspark.sql.pandas.types import from_arrow_schema

        with self.complaints("the computation failed"):
            return self._view(self._frame(table).mapInArrow(function, from_arrow_schema(schema)))

    def _frame(self, expression: Any) -> Any:
        return self.session.sql(self.connection.compile(expression))

    def _view(self, frame: Any) -> Any:
        name = _name()
        frame.createOrReplaceTempView(name)
        return self.connection.table(name)

    def faults(self) -> tuple[type[Exception], ...]:
        """Return the exceptions of Spark and of the bridge to it."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        return PySparkException, Py4JError

    def close(self) -> None:
        """Stop the session, if it is ours."""
        if self._own:
            self.session.stop()


def _name() -> str:
    return f"satc_{uuid.uuid4().hex}"


def connect(engine: str = "duckdb", *, master: str | None = None, **options: Any) -> Engine:
    """Start an engine; it is a context manager that ends with the block.

    Parameters
    ----------
    engine : {"duckdb", "spark"}
        Which one.
    master : str, optional
        Of Spark: ``local[4]``, ``spark://host:7077``, ``yarn``, ...
    options
        Of DuckDB: ``memory`` (``"4GB"``), ``threads``, ``spill`` (a directory). Of Spark:
        ``session``, the user's own.

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
