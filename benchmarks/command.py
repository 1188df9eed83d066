"""Run a command, and measure what it uses together with the processes that it starts."""

from __future__ import annotations

import os
import subprocess
import time
from typing import Any, NamedTuple

from memory import ALL, MIB, MemoryWatch, Peaks


class Used(NamedTuple):
    """What a command has used."""

    seconds: float
    processor: float  # seconds, in user mode and in the kernel
    peaks: Peaks

    @property
    def memory(self) -> str:
        """The peaks of memory, in words."""
        together, largest = (peak / MIB for peak in self.peaks)
        return f"peak {largest:,.0f} MiB (its processes together {together:,.0f} MiB)"


def run(command: list[str], **options: Any) -> Used:
    """Run a command to its end; raise an error if it fails.

    The processor time is that of the process and of those for which it has waited.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, **options)
    with MemoryWatch(process.pid) as watch:
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    seconds = time.perf_counter() - start
    return Used(seconds, used.ru_utime + used.ru_stime, watch.peaks[ALL])
