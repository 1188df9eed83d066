"""Only the first run on a machine compiles."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import satc

COUNT = """
import runpy, sys
from numba.core import event
listener = event.RecordingListener()
event.register("numba:compile", listener)
sys.argv[0] = "satc"
try:
    runpy.run_module("satc", run_name="__main__", alter_sys=True)
finally:
    print(len(listener.buffer), file=sys.stderr)
"""
WORDS = ["apple", "bread", "cheese", "date", "egg", "fig", "grape", "honey", "ice", "jam"]


def write(path, n, seed, labelled):
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", *["labels"] * labelled])
        for i in range(n):
            chosen = rng.choice(WORDS, 6)
            label = "|".join(word for word in ("apple", "fig", "jam") if word in chosen)
            writer.writerow([f"d{i}", " ".join(chosen), *[label] * labelled])


def run(folder):
    """Rank documents with the package in a folder; return the events of compilations.

    Compiled code is stored beside the modules, so no other process uses it.
    """
    command = ["rank", "--train=labelled.csv", "--documents=new.csv", "--output=ranked.csv"]
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *command],
        cwd=folder,
        env=environment | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder)},
        check=True,
        capture_output=True,
        text=True,
    )
    return int(done.stderr.splitlines()[-1])


@pytest.mark.slow
def test_a_second_run_compiles_nothing(tmp_path):
    shutil.copytree(Path(satc.__file__).parent, tmp_path / "satc")  # with code compiled before
    write(tmp_path / "labelled.csv", 80, 0, labelled=True)
    write(tmp_path / "new.csv", 40, 1, labelled=False)
    run(tmp_path)
    assert run(tmp_path) == 0
