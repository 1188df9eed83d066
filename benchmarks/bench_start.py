"""How long the first and later runs of `satc` take, and how long they compile.

    python benchmarks/bench_start.py [PROJECT.satc]

`satc rank --train` ranks 1,000 generated documents after it has learnt from 1,000 others; the
folder of compiled code is empty before the first run. With a project, such as that of `satc demo`,
`satc serve` is also started twice; it ends when the first document has come.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import httpx
import numpy as np

from bench_rank_csv import N_CLASSES, N_WORDS, random_texts, random_words, write
from timing import report

N_DOCUMENTS = 1_000
COUNTED = [sys.executable, str(Path(__file__).with_name("compilations.py"))]


def make(folder):
    rng = np.random.default_rng(0)
    words = random_words(rng)
    orders = np.array([rng.permutation(N_WORDS) for _ in range(N_CLASSES)])
    write(folder / "labelled.csv", *random_texts(N_DOCUMENTS, words, rng, orders))
    write(folder / "new.csv", random_texts(N_DOCUMENTS, words, rng, orders)[0])


def compiled_in(errors):
    """Return the report of compilations on the standard error."""
    return json.loads([line for line in errors.splitlines() if line.startswith("{")][-1])


def ranked(folder, environment):
    """Rank the documents; return seconds, and what was compiled."""
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
    return time.perf_counter() - start, compiled_in(done.stderr)


def served(project, environment):
    """Serve a project until its first document comes; return seconds until the first document."""
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
            seconds = time.perf_counter() - start
    finally:
        server.send_signal(signal.SIGINT)
    return seconds, compiled_in(server.communicate(timeout=60)[1])


def wait(request, busy):
    """Send a request until the server has an answer; return the answer."""
    while (answer := request()).status_code == busy:
        time.sleep(0.05)
    return answer.raise_for_status()


def compare(name, run):
    """Run twice, and print what each run took."""
    (first, compiled), (again, recompiled) = run(), run()
    for which, seconds, found in (("first", first, compiled), ("second", again, recompiled)):
        print(
            f"{name}, {which} run: {seconds:.1f} s, with {found['compilations']} compilations in "
            f"{found['seconds']:.2f} s"
        )
    report(f"{name}, second run / first run", again / first, "well below 1")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "compiled")}
        make(folder)
        compare("satc rank", partial(ranked, folder, environment))
        for project in sys.argv[1:]:
            compare("satc serve", partial(served, Path(project), environment))
