"""`Engine`: an Ibis connection, and the operations that differ between engines.

An engine opens tables, computes expressions, and applies functions to Arrow batches of a table.
Its exceptions are raised as `EngineError` with a message of one line.
"""

from __future__ import annotations

import re
import uuid
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import ibis
import pyarrow as pa

from satc import errors
from satc.errors import DataError, EngineError, SatcError, StateError
from satc.scale.engines.batches import Batches, MapBatches

BATCH_ROWS = 10_000


class Engine(ABC):
    """An Ibis connection, with the operations that differ between engines."""

    name: str
    connection: Any
    moves_rows: bool  # whether `map_batches` with `by` moves all rows, between workers

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
        the value comes in no other batch. `rows` is the approximate size of a batch; without `by`,
        batches can be smaller.
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
        """Do the same, and keep the results as long as an expression reads them."""
        return self.map_batches(table, function, schema, by=by, rows=rows)

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
        """Raise exceptions of the engine as `EngineError`, with one line of their message.

        An error of satc that was raised on a worker is raised as it is.
        """
        try:
            yield
        except (*self.faults(), ibis.common.exceptions.IbisError) as error:
            text = str(error)
            if (ours := raised_on_worker(text)) is not None:
                raise ours from error
            raise EngineError(f"{self.name}: {what}: {reason_in(text)}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def raised_on_worker(text: str) -> SatcError | None:
    r"""Return the error of satc that the text of an exception quotes, if any.

    >>> raised_on_worker("Please see the stack trace below.\nsatc.errors.DataError: no vector")
    DataError('no vector')
    """
    quoted = re.findall(r"^satc\.errors\.(\w+): (.+)$", text, re.MULTILINE)
    for name, message in quoted[-1:]:
        kind = getattr(errors, name, None)
        if kind in (DataError, EngineError, StateError):
            return kind(message)
    return None


def reason_in(text: str) -> str:
    r"""Return the line that says what went wrong: the last one of a traceback, or the first one.

    >>> reason_in("Traceback (most recent call last):\n  File ...\nValueError: too short\n")
    'ValueError: too short'
    >>> reason_in("Out of memory\nsee the log")
    'Out of memory'
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception): ", line)]
    if raised and "Traceback (most recent call last):" in text:
        return raised[-1]
    return (lines or ["no reason given"])[0]


def release_with(table: Any, release: Callable[[], object]) -> None:
    """Call a function when no expression reads a table any more."""
    weakref.finalize(table.op(), release).atexit = False


def new_name() -> str:
    """Return a name that no other table has."""
    return f"satc_{uuid.uuid4().hex}"
