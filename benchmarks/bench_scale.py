"""Rank 10^7 to 10^9 pairs with DuckDB: time per pair, and peak memory.

The scores, of 100 classes, are generated and written to Parquet, which is not counted. Each size
runs in a separate process, after a ranking of ten documents as a warm-up. The peak is the largest
resident size of the process.

    python benchmarks/bench_scale.py [--form long|wide] [--largest 1000000000] [--folder DIR]
        [--method contextual] [--classes 100]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np

from satc import scale
from satc.contingency import ContingencyTables

CLASSES = 100
TOP = 10_000
REPEAT = 3  # the best of this many runs counts, because other jobs may run
MEMORY = "2500MB"  # of DuckDB; Python, Arrow and the buffers of the readers need more
SCORE = "((hash({document} * 1000 + {label}) % 2000003) / 1000001.5 - 1.3)::FLOAT"


def names(m: int) -> tuple[str, ...]:
    return tuple(f"c{j:04d}" for j in range(m))


def make(folder: Path, n: int, form: str, m: int = CLASSES) -> None:
    """Write the scores of n documents, one million per file."""
    connection = duckdb.connect(config={"memory_limit": "2GB", "preserve_insertion_order": False})
    for part, start in enumerate(range(0, n, 1_000_000)):
        end = min(n, start + 1_000_000)
        if form == "long":
            score = SCORE.format(document="d.range", label="c.range")
            query = f"""SELECT d.range AS document, 'c' || lpad(c.range::VARCHAR, 4, '0') AS class,
                        {score} AS score
                        FROM range({start}, {end}) d, range({m}) c"""
        else:
            columns = (
                f"{SCORE.format(document='range', label=j)} AS {name}"
                for j, name in enumerate(names(m))
            )
            query = f"SELECT range AS document, {', '.join(columns)} FROM range({start}, {end})"
        connection.execute(f"COPY ({query}) TO '{folder}/{part:03d}.parquet'")


def training(method: str, m: int = CLASSES) -> dict[str, object]:
    """Return the arguments of `scale.rank` that describe the training documents."""
    rng = np.random.default_rng(0)
    if method != "contextual":
        cells = rng.integers(5, 500, (4, m)).astype(float)
        return {"estimates": scale.Estimates(names(m), 2.5, ContingencyTables(*cells), 2_000)}
    scores = rng.uniform(-1.3, 0.7, (2_000, m))
    return {
        "oof_scores": scores,
        "y_train": rng.random(scores.shape) < 1 / (1 + np.exp(-4 * scores)),
    }


def measure(folder: str, method: str, m: int) -> dict[str, float]:
    """Rank the scores in the folder; return the seconds, and the peak memory in GiB."""
    known = training(method, m)
    with scale.connect("duckdb", memory=MEMORY, threads=2, spill=folder) as engine:

        def ranked(table: object, n: int) -> object:
            stored = scale.stored_scores(engine, table, classes=names(m))
            return scale.rank(stored, **known, method=method).top(n)

        table = engine.open(f"{folder}/*.parquet")
        ranked(table.filter(table.document < 10), 10)  # warm-up
        runs = []
        for _ in range(1 if method == "contextual" else REPEAT):
            started = time.perf_counter()
            top = ranked(table, TOP)
            runs.append(time.perf_counter() - started)
    assert len(top) <= TOP
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": min(runs), "peak_gib": peak}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--form", choices=["long", "wide"])
    parser.add_argument("--largest", type=int, default=10**9)
    parser.add_argument("--folder", help="where the files are written")
    parser.add_argument("--method", default="u-theoretic", choices=["u-theoretic", "contextual"])
    parser.add_argument("--classes", type=int, default=CLASSES)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.method, given.classes)))
        return
    for form in [given.form] if given.form else ["wide", "long"]:
        per_pair = []
        for pairs in (10**7, 10**8, 10**9):
            if pairs > given.largest:
                break
            with tempfile.TemporaryDirectory(dir=given.folder) as folder:
                make(Path(folder), pairs // given.classes, form, given.classes)
                size = sum(f.stat().st_size for f in Path(folder).glob("*.parquet"))
                command = [sys.executable, __file__, "--measure", folder, "--method", given.method]
                command += ["--classes", str(given.classes)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout)
            per_pair.append(1e9 * found["seconds"] / pairs)
            print(
                f"{form}: {pairs:>13,} pairs, {size / 1e9:.2f} GB: {found['seconds']:8.1f} s, "
                f"{per_pair[-1]:6.2f} ns per pair, peak {found['peak_gib']:.2f} GiB",
                flush=True,
            )
        print(f"{form}: slowest / fastest time per pair: {max(per_pair) / min(per_pair):.2f}")


if __name__ == "__main__":
    main()
