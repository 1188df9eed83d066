"""Start Spark, and say at once what is missing: Java, or the master.

Spark itself would look for its master for a minute, and then fail with a page of its insides.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

from satc.errors import EngineError, MissingExtraError

_PATIENCE = 5.0  # seconds for a master to answer


def start_spark(master: str | None) -> Any:
    """Return a session on this master (by default, that of Spark's own settings)."""
    check_java()
    if master is not None:
        check_master(master)
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("Spark", "scale") from None
    builder = (
        SparkSession.builder.appName("satc")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
    )
    if master is not None:
        builder = builder.master(master)
        if master.startswith("local"):  # the workers are ours, so they run our Python
            builder = builder.config("spark.pyspark.python", sys.executable)
            builder = builder.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(sys.path))
    return builder.getOrCreate()


def check_java() -> None:
    """Refuse to start without Java."""
    home = os.environ.get("JAVA_HOME")
    if home is not None and (Path(home) / "bin" / "java").is_file():
        return
    if home is not None or shutil.which("java") is None:
        where = "on the PATH" if home is None else f"in JAVA_HOME, {home}"
        raise EngineError(f"spark needs Java 17 or later, but there is no java {where}")


def check_master(master: str) -> None:
    """Refuse a standalone master that does not answer; other kinds are left to Spark."""
    if not master.startswith("spark://"):
        return
    reason = ""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), _PATIENCE).close()
        except (OSError, ValueError) as error:
            reason = str(error)
        else:
            return
    raise EngineError(f"spark: the master {master} cannot be reached: {reason}")
