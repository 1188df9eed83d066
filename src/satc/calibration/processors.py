"""How many threads a computation may use without waiting for other programs.

Threads of OpenMP wait for each other by spinning. If other programs keep the processors busy, a fit
with two threads can take twenty times as long as with one. So a fit uses the processors that are
idle, and at least one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_info, threadpool_limits

from satc.machine.processors import allowed_processors


@contextmanager
def on_idle_processors() -> Iterator[None]:
    """Limit the threads of OpenMP to the idle processors; a lower limit that is set stays."""
    with threadpool_limits(min(_limit_now(), idle_processors()), user_api="openmp"):
        yield


def idle_processors() -> int:
    """Return how many processors are idle, by the load of the last minute; at least one.

    They are at most those that this process may use, as in a container.
    """
    n, allowed = os.cpu_count() or 1, allowed_processors()
    if not hasattr(os, "getloadavg"):  # Windows
        return allowed
    try:
        load = os.getloadavg()[0]
    except OSError:
        return allowed
    return max(1, min(allowed, int(n - load)))


def _limit_now() -> int:
    limits = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "openmp"]
    return min(limits, default=1)
