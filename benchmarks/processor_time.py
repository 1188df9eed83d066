"""Processor time of a server, of its database, and of the clients in this process."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import psutil


class ProcessorTime(NamedTuple):
    """Seconds so far, in user mode and in the kernel."""

    server: float
    database: float
    clients: float

    def since(self, start: ProcessorTime, n: int) -> str:
        """Say how many milliseconds each of n decisions took since an earlier time."""
        names = ("server", "database", "clients")
        spent = (now - then for now, then in zip(self, start, strict=True))
        each = (f"{name} {s / n * 1e3:.2f}" for name, s in zip(names, spent, strict=True) if s)
        return f"processor time per decision in ms: {', '.join(each)}"


def processor_time(server: int, database: Path | None = None) -> ProcessorTime:
    """Return the time so far; `database` is the folder of a PostgreSQL server with its data."""
    first = None if database is None else (database / "postmaster.pid").read_text().split()[0]
    processes = [] if first is None else psutil.Process(int(first)).children()
    return ProcessorTime(
        _seconds(psutil.Process(server)),
        sum(map(_seconds, processes)),
        time.process_time(),
    )


def _seconds(process: psutil.Process) -> float:
    spent = process.cpu_times()
    return spent.user + spent.system
