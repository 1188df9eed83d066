"""How many threads a computation may use without waiting for other programs.

Threads of OpenMP wait for each other by spinning. If other programs keep the processors busy, a fit
with two threads can take twenty times as long as with one. So a fit uses the processors that are
idle, and at least one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from threadpoolctl import threadpool_info, threadpool_limits

from satc.machine.processors import allowed_processors

_LOAD = Path("/proc/loadavg")


@contextmanager
def on_idle_processors() -> Iterator[None]:
    """Limit the threads of OpenMP to the idle processors; a lower limit that is set stays."""
    with threadpool_limits(min(_limit_now(), idle_processors()), user_api="openmp"):
        yield


def idle_processors() -> int:
    """Return how many processors are idle; at least one.

    A processor is busy if it was in the last minute, or if it is now: the load average knows a
    program that has just started only later. At most those processors are idle that this process
    may use, as in a container.
    """
    n, allowed = os.cpu_count() or 1, allowed_processors()
    if not hasattr(os, "getloadavg"):  # Windows
        return allowed
    try:
        load = os.getloadavg()[0]
    except OSError:
        return allowed
    return max(1, min(allowed, int(n - max(load, running_now()))))


def running_now() -> int:
    """Return how many threads of other programs want a processor at this moment.

    0 where it is not known: only Linux says it.
    """
    try:
        running, _ = _LOAD.read_text().split()[3].split("/")
        return int(running) - 1  # this thread is one of them
    except (OSError, ValueError, IndexError):
        return 0


def _limit_now() -> int:
    limits = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "openmp"]
    return min(limits, default=1)
