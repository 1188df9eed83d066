"""Run `satc` and report what numba has compiled, on the last line of the standard error.

The report also has the largest resident memory of the process, in bytes.

python benchmarks/compilations.py rank --train labelled.csv --documents new.csv -o ranked.csv
"""

from __future__ import annotations

import atexit
import json
import runpy
import sys
import time

from numba.core import event

from memory import resident


class Compilations(event.Listener):
    """Counts compilations, and adds up their seconds; functions that call others count once."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.seconds = 0.0
        self.depth = 0

    def on_start(self, started: event.Event) -> None:
        self.names.append(started.data["dispatcher"].py_func.__qualname__)
        if self.depth == 0:
            self.start = time.perf_counter()
        self.depth += 1

    def on_end(self, ended: event.Event) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.start

    def report(self) -> None:
        found = {"compilations": len(self.names), "seconds": self.seconds}
        found["peak"] = resident().peak
        print(json.dumps(found), file=sys.stderr, flush=True)


if __name__ == "__main__":
    listener = Compilations()
    event.register("numba:compile", listener)
    atexit.register(listener.report)
    sys.argv[0] = "satc"
    runpy.run_module("satc", run_name="__main__", alter_sys=True)
