"""The kinds of the processes that take part when this process runs Spark."""

from __future__ import annotations

import os

import psutil

DRIVER = "driver (Python)"
PYTHON = "Python workers"
JVMS = {
    "org.apache.spark.deploy.SparkSubmit": "driver (JVM)",
    "org.apache.spark.deploy.master.Master": "master (JVM)",
    "org.apache.spark.deploy.worker.Worker": "workers (JVMs)",
    "org.apache.spark.executor.CoarseGrainedExecutorBackend": "executors (JVMs)",
}


def kind_of(process: psutil.Process) -> str:
    """Return the kind of a process, by the class that a JVM runs."""
    if process.pid == os.getpid():
        return DRIVER
    command = process.cmdline()
    for name, kind in JVMS.items():
        if name in command:
            return kind
    return PYTHON if any("pyspark" in part for part in command) else "other processes"
