"""A Spark standalone cluster on this machine: a master and workers, each a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import psutil

_TIMEOUT = 120.0  # seconds; a busy machine starts Java slowly


class StandaloneCluster:
    """A master and `n_workers` workers of one core each; their logs are in the folder."""

    def __init__(self, folder: Path, n_workers: int = 2) -> None:
        self._folder = folder
        port = _free_port()
        self.url = f"spark://127.0.0.1:{port}"
        where = ("--host", "127.0.0.1", "--webui-port", "0")
        self._master = self._start("master.Master", *where, "--port", str(port))
        _wait_for_port(port, self._master)
        size = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work"))
        self.workers = [
            self._start("worker.Worker", self.url, *where, *size) for _ in range(n_workers)
        ]

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a process of Spark; the script replaces itself by Java, so the id is Java's."""
        program = _spark_home() / "bin" / "spark-class"
        command = [str(program), f"org.apache.spark.deploy.{name}", *arguments]
        log = self._folder / f"{name}-{time.monotonic_ns()}.log"
        with log.open("wb") as file:
            return subprocess.Popen(command, stdout=file, stderr=file, env=_environment())

    def worker_of(self, pid: int) -> subprocess.Popen[bytes]:
        """Return the worker under which a process runs."""
        parents = {parent.pid for parent in psutil.Process(pid).parents()}
        return next(worker for worker in self.workers if worker.pid in parents)

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """Kill a worker and all processes under it, as if its machine had failed."""
        for process in [*psutil.Process(worker.pid).children(recursive=True), worker]:
            process.kill()
        worker.wait()

    def stop(self) -> None:
        """Stop all processes."""
        running = [*self.workers, self._master]
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


def _spark_home() -> Path:
    """Return the directory of the PySpark package, which holds all of Spark."""
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def _environment() -> dict[str, str]:
    """Return an environment in which the workers can import what this process can."""
    return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": os.pathsep.join(sys.path)}


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"the master of Spark does not listen on port {port}")
