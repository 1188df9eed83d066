"""Resident memory of processes on Linux: the largest so far, or watched over time in a thread."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

import psutil

MIB = 1 << 20
ALL = "all processes"


class Resident(NamedTuple):
    """Resident memory of a process in bytes: now, and the largest so far."""

    now: int
    peak: int


def resident(pid: int | None = None) -> Resident:
    """Return the memory of a process, by default of this one.

    The largest size of `getrusage` does not serve here: Linux counts what the parent had in memory
    when it started the process.
    """
    status = Path(f"/proc/{os.getpid() if pid is None else pid}/status").read_text()
    sizes = dict(line.split(":", 1) for line in status.splitlines() if line.startswith("Vm"))
    if "VmRSS" not in sizes:
        raise ProcessLookupError(pid, "the process has ended")
    return Resident(*(1024 * int(sizes[name].split()[0]) for name in ("VmRSS", "VmHWM")))


class Peaks(NamedTuple):
    """Peaks in bytes: of all processes together, and of the largest one."""

    together: int = 0
    largest: int = 0


class MemoryWatch:
    """Watch the memory of a process and of all processes under it, inside a `with` block.

    `peaks` has those of all processes and, with `kind`, those of each kind of processes. Memory
    that processes share counts once for each of them.

    Parameters
    ----------
    pid
        The process; by default, this one.
    kind
        Returns the kind of a process.
    every
        Seconds between two looks.
    """

    def __init__(
        self,
        pid: int | None = None,
        kind: Callable[[psutil.Process], str] | None = None,
        every: float = 0.1,
    ) -> None:
        self._root = psutil.Process(pid)
        self._kind = kind
        self._every = every
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.peaks: dict[str, Peaks] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self._look()
            if self._end.wait(self._every):
                return

    def _look(self) -> None:
        """Add up the memory of the processes, and note new peaks."""
        found = defaultdict(list)
        for process in self._processes():
            try:
                kinds = [ALL] if self._kind is None else [ALL, self._kind(process)]
                size = resident(process.pid)
            except (psutil.NoSuchProcess, OSError):  # it has just ended
                continue
            for kind in kinds:
                found[kind].append(size)
        for kind, sizes in found.items():
            known = self.peaks.get(kind, Peaks())
            together = max(known.together, sum(size.now for size in sizes))
            largest = max(known.largest, max(size.peak for size in sizes))
            self.peaks[kind] = Peaks(together, largest)

    def _processes(self) -> list[psutil.Process]:
        try:
            return [self._root, *self._root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def lines(self) -> list[str]:
        """Return a line for each kind of processes, the largest kind first."""
        return [
            f"peak memory, {kind}: {peaks.together / MIB:,.0f} MiB, largest process "
            f"{peaks.largest / MIB:,.0f} MiB"
            for kind, peaks in sorted(self.peaks.items(), key=lambda item: -item[1].together)
        ]
