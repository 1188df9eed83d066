"""Start Spark, after a quick check that Java is installed and that the master can be reached.

Without the check, Spark would try to reach its master for a minute, and then print a long trace.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from satc.errors import EngineError, MissingExtraError

_MASTER = re.compile(r"local(\[[\d*, ]+\])?|local-cluster\[[\d, ]+\]|spark://\S+|yarn|k8s://\S+")
_CONNECT_TIMEOUT = 5.0  # seconds


def start_spark(master: str | None) -> Any:
    """Return a session on this master; None means the master in Spark's own settings."""
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
        if master.startswith("local"):  # the workers run here, so they can use this Python
            builder = builder.config("spark.pyspark.python", sys.executable)
            builder = builder.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(sys.path))
    try:
        return builder.getOrCreate()
    except Exception as error:  # py4j can raise any exception here
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = (lines or [type(error).__name__])[0]
        raise EngineError(
            f"spark: a session on {master or 'its own settings'} cannot be started: {reason}"
        ) from error


def check_java() -> None:
    """Raise an error if Java is not installed."""
    home = os.environ.get("JAVA_HOME")
    if home is not None and (Path(home) / "bin" / "java").is_file():
        return
    if home is not None or shutil.which("java") is None:
        where = "on the PATH" if home is None else f"in JAVA_HOME, {home}"
        raise EngineError(f"spark needs Java 17 or later, but there is no java {where}")


def check_master(master: str) -> None:
    """Raise an error if the master is not valid, lacks its settings, or cannot be reached."""
    if not _MASTER.fullmatch(master):
        raise EngineError(
            "spark: the master must be local[N], spark://host:port, yarn or k8s://address, "
            f"but is {master!r}"
        )
    if master == "yarn" and not (os.environ.keys() & {"HADOOP_CONF_DIR", "YARN_CONF_DIR"}):
        raise EngineError(
            "spark: the master yarn needs HADOOP_CONF_DIR or YARN_CONF_DIR, but neither is set"
        )
    addresses = _addresses(master)
    reason = ""
    for host, port in addresses:
        try:
            socket.create_connection((host, port), _CONNECT_TIMEOUT).close()
        except (OSError, OverflowError) as error:
            reason = str(error)
        else:
            return
    if addresses:
        raise EngineError(f"spark: the master {master} cannot be reached: {reason}")


def _addresses(master: str) -> list[tuple[str, int]]:
    """Return the addresses to connect to: the standalone masters, or the Kubernetes server."""
    kind, _, rest = master.partition("://")
    if kind == "k8s":
        url = urlsplit(rest if "://" in rest else f"https://{rest}")
        return [(url.hostname or "", url.port or (80 if url.scheme == "http" else 443))]
    if kind != "spark":
        return []
    pairs = (address.rpartition(":") for address in rest.split(","))
    return [(host.strip("[]"), int(port) if port.isdigit() else 0) for host, _, port in pairs]
