"""How long `satc serve` takes until the page answers, and until the first document is served.

    python benchmarks/bench_opening.py [PROJECT.satc] [--times N] [--busy]

Without a project, that of `satc demo` is made. Two copies of the project are served in turn: one
with the probabilities that it has stored, and one without them, which has to fit. Processor time is
that of the server until the first document; other programs of the machine hardly change it. With
`--busy`, one busy process per processor runs meanwhile.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np

POLL_SECONDS = 0.02
TICKS = os.sysconf("SC_CLK_TCK")


class Opened(NamedTuple):
    """Seconds from the start of the process."""

    page: float
    document: float
    processor: float  # user and system, until the first document


def spin() -> None:
    """Keep a processor busy."""
    while True:
        sum(range(100_000))


@contextmanager
def busy(wanted: bool) -> Iterator[None]:
    n = os.cpu_count() or 1
    processes = [get_context("spawn").Process(target=spin, daemon=True) for _ in range(n * wanted)]
    for one in processes:
        one.start()
    try:
        yield
    finally:
        for one in processes:
            one.terminate()


def opened(project: Path) -> Opened:
    """Serve a project until the first document has come."""
    command = [sys.executable, "-m", "satc", "serve", str(project), "--port", "0", "--no-browser"]
    start = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split()[-1]
        url, _, key = address.partition("/enter?key=")
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=120.0) as client:
            client.get("/")
            page = time.perf_counter() - start
            while (answer := client.post(f"/api/v1/projects/{project.stem}/next")).is_error:
                if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    answer.raise_for_status()
                time.sleep(POLL_SECONDS)
            return Opened(page, time.perf_counter() - start, processor_seconds(server.pid))
    finally:
        server.kill()
        server.wait()


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def copies(given: Path | None, folder: Path) -> tuple[Path, Path]:
    """Return a project with stored probabilities, and one that may store none."""
    if given is None:
        demo = [sys.executable, "-m", "satc", "demo", "--no-serve", "-o", str(folder / "demo")]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL)
        given = next((folder / "demo").glob("*.satc"))
    stored, without = folder / "stored" / given.name, folder / "without" / given.name
    for copy in (stored, without):
        copy.parent.mkdir()
        shutil.copy(given, copy)
    opened(stored)  # if it was made by an earlier version, it stores them now
    return stored, without


def forget(project: Path) -> None:
    """Remove the stored probabilities of a project, which the server stores again."""
    with closing(sqlite3.connect(project)) as connection, connection:
        connection.execute("DELETE FROM arrays WHERE name IN ('fitted', 'fitted_from')")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("project", type=Path, nargs="?")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--busy", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stored, without = copies(given.project, Path(folder))
        reading, fitting = [], []
        print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
        with busy(given.busy):
            for _ in range(given.times):
                reading.append(opened(stored))
                forget(without)
                fitting.append(opened(without))
    print("median (smallest) seconds    page             document         processor time")
    for name, some in (("reads the stored fit", reading), ("fits", fitting)):
        cells = [f"{m:7.2f} ({low:5.2f})" for m, low in zip(*summary(some), strict=True)]
        print(f"{name:22s} {'  '.join(cells)}")
    ratio = np.divide(summary(reading)[0], summary(fitting)[0])
    print(f"{'ratio':22s} {'          '.join(f'{one:7.2f}' for one in ratio)}")


def summary(some: list[Opened]) -> tuple[list[float], list[float]]:
    return np.median(some, axis=0).tolist(), np.min(some, axis=0).tolist()


if __name__ == "__main__":
    main()
