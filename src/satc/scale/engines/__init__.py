"""The engines that compute expressions: DuckDB inside this process, or Spark on a cluster."""

from __future__ import annotations

from typing import Any

from satc.inputs import choice
from satc.scale.engines.base import Engine
from satc.scale.engines.duckdb import DuckDBEngine
from satc.scale.engines.spark import SparkEngine

__all__ = ["DuckDBEngine", "Engine", "SparkEngine", "connect"]


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
