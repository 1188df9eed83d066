"""Spark, on a cluster."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

import ibis
import pyarrow as pa

from satc.scale.engines.base import BATCH_ROWS, Engine, new_name, release_with
from satc.scale.engines.batches import Batches, MapBatches, whole_groups
from satc.scale.engines.spark_session import start_spark
from satc.scale.engines.threads import on_one_thread


class SparkEngine(Engine):
    """Spark, on a cluster given by the URL of its master, or in the user's own session."""

    name = "spark"
    moves_rows = True

    def __init__(self, *, master: str | None = None, session: Any = None) -> None:
        self._own = session is None
        self.session = start_spark(master) if session is None else session
        self.connection = ibis.pyspark.connect(self.session)
        self._kept: dict[str, Any] = {}  # frames, by the name of their view

    def run(self, expression: Any) -> pa.Table:
        """Compute an expression, with Arrow, which distinguishes NaN from null."""
        with self.one_line_errors("the computation failed"):
            return self._frame(expression).toArrow()

    def batches(self, expression: Any, rows: int = BATCH_ROWS) -> Batches:
        """Compute an expression, and return its rows partition by partition."""
        schema = expression.schema().to_pyarrow()
        with self.one_line_errors("the computation failed"):
            found = self._frame(expression).toLocalIterator()
            while some := [row.asDict() for row in islice(found, rows)]:
                yield pa.RecordBatch.from_pylist(some, schema)

    def temporary_table(self, rows: pa.Table) -> Any:
        """Create a temporary view."""
        with self.one_line_errors("a temporary table cannot be created"):
            return self._view(self.session.createDataFrame(rows))

    def map_batches(
        self,
        table: Any,
        function: MapBatches,
        schema: pa.Schema,
        *,
        by: str | None = None,
        rows: int = BATCH_ROWS,
    ) -> Any:
        """Apply a function to the batches of a table, on the workers."""
        with self.one_line_errors("the computation failed"):
            return self._view(self._mapped(table, function, schema, by, rows))

    def map_batches_once(
        self,
        table: Any,
        function: MapBatches,
        schema: pa.Schema,
        *,
        by: str | None = None,
        rows: int = BATCH_ROWS,
    ) -> Any:
        """Apply a function to the batches of a table; the workers keep the results on disk."""
        with self.one_line_errors("the computation failed"):
            return self._keep(self._mapped(table, function, schema, by, rows))

    def _mapped(
        self, table: Any, function: MapBatches, schema: pa.Schema, by: str | None, rows: int
    ) -> Any:
        from pyspark.sql.pandas.types import from_arrow_schema

        frame = self._frame(table)
        if by is not None:
            frame = self._grouped(frame, by)
        work = partial(_on_worker, function=function, by=by, rows=rows)
        return frame.mapInArrow(work, from_arrow_schema(schema))

    def _grouped(self, frame: Any, by: str) -> Any:
        """Move the rows of each group to one worker, next to each other.

        Each part costs a worker some tenths of a second. So there are as many as the processors and
        the files ask for, not the 200 of Spark's default.
        """
        n_parts = max(self.session.sparkContext.defaultParallelism, frame.rdd.getNumPartitions())
        return frame.repartition(n_parts, by).sortWithinPartitions(by)

    def keep(self, expression: Any) -> Any:
        """Let the workers keep the results on disk, after the first time that they are read."""
        return self._keep(self._frame(expression))

    def _keep(self, frame: Any) -> Any:
        from pyspark import StorageLevel

        table = self._view(frame.persist(StorageLevel.DISK_ONLY))
        self._kept[table.get_name()] = frame
        release_with(table, partial(self._forget, table.get_name()))
        return table

    def _forget(self, name: str) -> None:
        """Let the workers delete results."""
        frame = self._kept.pop(name, None)
        if frame is not None:
            with suppress(*self.faults()):  # the user's own session may have been stopped
                frame.unpersist()

    def _frame(self, expression: Any) -> Any:
        return self.session.sql(self.connection.compile(expression))

    def _view(self, frame: Any) -> Any:
        name = new_name()
        frame.createOrReplaceTempView(name)
        return self.connection.table(name)

    def faults(self) -> tuple[type[Exception], ...]:
        """Return the exception types of Spark, and of py4j, which connects Python to it."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        return PySparkException, Py4JError

    def close(self) -> None:
        """Stop the session, unless it is the user's own; delete what the workers have kept."""
        for name in list(self._kept):
            self._forget(name)
        if self._own:
            self.session.stop()


def _on_worker(batches: Batches, function: MapBatches, by: str | None, rows: int) -> Batches:
    """Apply a function on a worker, which has one processor for it."""
    return on_one_thread(function, batches if by is None else whole_groups(batches, by, rows))
