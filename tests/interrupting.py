"""Run commands many times, end each run by a signal at a random moment, and list what is left.

This is a program: it imports once and forks for each run, so that a run takes no longer than its
work. It reads jobs from standard input and prints the runs of each job, both as JSON.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from contextlib import closing
from pathlib import Path

import satc.classifier
import satc.cli
import satc.files.exchange
import satc.simulation
import satc.workbench.project.creation
from satc.__main__ import handle_signals

# What commands import when they need it: here too, it is imported once.
LATER = ("pandas", "scipy.optimize", "scipy.stats", "sklearn.ensemble", "sklearn.model_selection")
LATER += (
    "satc.calibration.contextual.calibrator",
    "satc.estimation.out_of_fold",
    "satc.learners.linear_svm",
)
for name in LATER:
    importlib.import_module(name)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
OLD = "as it was"


def run(command: list[str], number: int | None = None, delay: float = 0.0) -> dict:
    """Run a command, send it the signal after the delay, and return how it ended."""
    with tempfile.TemporaryFile() as said:
        begun, begin = os.pipe()
        child = os.fork()
        if child == 0:
            _work(command, said.fileno(), begin)
        os.close(begin)
        os.read(begun, 1)
        os.close(begun)
        start = time.monotonic()
        if number is not None:
            time.sleep(delay)
            os.kill(child, number)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        seconds = time.monotonic() - start
        said.seek(0)
        return {"signal": number, "code": code, "said": said.read().decode(), "seconds": seconds}


def _work(command: list[str], errors: int, begin: int) -> None:
    os.dup2(errors, 2)
    os.dup2(errors, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the shell may ignore it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    handle_signals()
    sys.argv = ["satc", *command]
    code = 0
    try:
        os.write(begin, b".")
        satc.cli.main()
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        code = 99
    finally:
        sys.stderr.flush()
        os._exit(code)


def state(output: Path) -> str | None:
    """Return a digest of the output; two complete runs have the same."""
    if output.suffix == ".satc" and output.exists():  # has times and secrets of its own
        with closing(sqlite3.connect(output)) as database:
            counts = database.execute("select count(*) from documents").fetchall()
            return f"{database.execute('pragma integrity_check').fetchall()} {counts}"
    files = [output] if output.is_file() else sorted(output.rglob("*"))
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest() if files else None


def prepared(output: Path, replaced: bool) -> None:
    """Make an empty folder for the output, with an earlier output if the command replaces it."""
    shutil.rmtree(output.parent, ignore_errors=True)
    output.parent.mkdir(parents=True)
    if replaced:
        output.write_text(OLD)


def rounds(command: list[str], output: Path, replaced: bool, n: int) -> list[dict]:
    """Run a command once to the end, and then n times with a signal."""
    chance = random.Random(0)  # noqa: S311
    runs: list[dict] = []
    for i in range(n + 1):
        prepared(output, replaced)
        before = state(output)
        if i == 0:
            found = run(command)
        else:
            number = SIGNALS[i % len(SIGNALS)]
            found = run(command, number, chance.uniform(0.0, runs[0]["seconds"]))
        after = state(output)
        left = [path.name for path in output.parent.iterdir() if path != output]
        runs.append(found | {"before": before, "after": after, "left": left})
    return runs


def main() -> None:
    jobs = json.load(sys.stdin)
    done = [rounds(job[0], Path(job[1]), job[2], job[3]) for job in jobs]
    json.dump(done, sys.stdout)


if __name__ == "__main__":
    main()
