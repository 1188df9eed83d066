"""How long the first and later runs of `satc` take, how long they compile, and their peak memory.

    python benchmarks/bench_start.py [PROJECT.satc ...] [--documents 1000] [--classes 100]

`satc rank --train` ranks 1,000 generated documents after it has learnt from 1,000 others. Then
`satc serve` is started on a project, such as that of `satc demo`, and ends when the first document
has come; its peak is that until then. Without an argument, a project of the same documents is
created. Each command runs twice. Both commands share a folder of compiled code, which is empty
before the first run.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx

from generated_texts import write_texts
from memory import MIB, resident
from timing import report

COUNTED = [sys.executable, str(Path(__file__).with_name("compilations.py"))]


class Started(NamedTuple):
    """What a run of a command took."""

    seconds: float
    peak: int  # bytes of resident memory
    compiled: dict[str, float]


def compiled_in(errors):
    """Return the report of compilations on the standard error."""
    return json.loads([line for line in errors.splitlines() if line.startswith("{")][-1])


def ranked(folder, environment):
    """Rank the documents."""
    options = ["--train=labelled.csv", "--documents=new.csv", "--output=ranked.csv"]
    start = time.perf_counter()
    done = subprocess.run(
        [*COUNTED, "rank", *options],
        cwd=folder,
        env=environment,
        check=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    seconds, compiled = time.perf_counter() - start, compiled_in(done.stderr)
    return Started(seconds, compiled["peak"], compiled)


def created(folder):
    """Create a project of the documents, with the compiled code of the machine."""
    options = ["--train=labelled.csv", "--documents=new.csv"]
    command = [sys.executable, "-m", "satc", "create", "made.satc", *options]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, cwd=folder, check=True, **pipes)
    return folder / "made.satc"


def served(project, environment):
    """Serve a project until its first document comes."""
    command = [*COUNTED, "serve", str(project), "--port", "0", "--no-browser"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    start = time.perf_counter()
    server = subprocess.Popen(command, env=environment, text=True, **pipes)
    try:
        url, _, key = server.stdout.readline().split()[-1].partition("/enter?key=")
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=120.0) as client:
            starting = httpx.codes.SERVICE_UNAVAILABLE
            answer = wait(lambda: client.get("/api/v1/projects"), starting)
            path = f"/api/v1/projects/{answer.json()['projects'][0]['name']}"
            wait(lambda: client.post(f"{path}/next"), starting)
            seconds, peak = time.perf_counter() - start, resident(server.pid).peak
    finally:
        server.send_signal(signal.SIGINT)
    return Started(seconds, peak, compiled_in(server.communicate(timeout=60)[1]))


def wait(request, busy):
    """Send a request until the server has an answer; return the answer."""
    while (answer := request()).status_code == busy:
        time.sleep(0.05)
    return answer.raise_for_status()


def compare(name, run):
    """Run twice, and print what each run took."""
    first, again = run(), run()
    for which, one in (("first", first), ("second", again)):
        found = one.compiled
        print(
            f"{name}, {which} run: {one.seconds:.1f} s, with {found['compilations']} compilations "
            f"in {found['seconds']:.2f} s, peak {one.peak / MIB:.0f} MiB",
            flush=True,
        )
    report(f"{name}, second run / first run", again.seconds / first.seconds, "well below 1")
    report(f"{name}, peak memory, second / first run", again.peak / first.peak, "for information")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("projects", type=Path, nargs="*", metavar="PROJECT.satc")
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--classes", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_texts(folder, given.documents, given.classes)
        environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "compiled")}
        compare("satc rank", partial(ranked, folder, environment))
        for project in given.projects or [created(folder)]:
            compare("satc serve", partial(served, project, environment))


if __name__ == "__main__":
    main()
