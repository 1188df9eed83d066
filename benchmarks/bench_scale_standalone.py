"""Rank pairs on a Spark standalone cluster: the time of `contextual` over that of `u-theoretic`.

The master and the two workers, of one core each, are processes of their own on this machine. The
model of `contextual` is fitted before, and its time is printed. Also compares the best documents
with those of a ranking in memory.

A thread adds up the resident memory of the processes of each kind, four times a second while the
cluster runs. The largest sum of each kind is printed. Memory that Python workers share counts once
for each of them. The scores are generated in another process, so that they do not count.

    python benchmarks/bench_scale_standalone.py [--pairs 10000000] [--repeat 2]
        [--scores sparse|uniform]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import duckdb
import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "scale")]

from standalone import StandaloneCluster

import satc
from bench_scale import CLASSES, METHODS, SCORES, fitted_before, make, names, training
from memory import MemoryWatch
from satc import scale
from spark_processes import kind_of
from timing import report

COMPARED = 1_000  # documents
WATCH_EVERY = 0.25  # seconds


def generate(folder: Path, pairs: int, kind: str) -> None:
    """Write the scores in a process of its own."""
    options = {"scores": kind}
    arguments = (folder, pairs // CLASSES, "long")
    writer = get_context("spawn").Process(target=make, args=arguments, kwargs=options)
    writer.start()
    writer.join()
    if writer.exitcode:
        raise RuntimeError(f"scores cannot be generated: exit code {writer.exitcode}")


def in_memory(folder: Path, kind: str) -> list[int]:
    """Return the best documents by `contextual`, ranked in memory."""
    columns = ", ".join(f"max(score) FILTER (class = '{name}')" for name in names(CLASSES))
    rows = duckdb.sql(
        f"SELECT {columns} FROM '{folder}/*.parquet' GROUP BY document ORDER BY document"
    ).fetchnumpy()
    scores = np.column_stack(list(rows.values())).astype(np.float64)
    known = training("contextual", scores=kind)
    return satc.rank(scores, **known, method="contextual").order[:COMPARED].tolist()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=10**7)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--scores", choices=list(SCORES), default="sparse")
    given = parser.parse_args()
    runs: dict[str, list[float]] = {method: [] for method in METHODS}
    with tempfile.TemporaryDirectory() as name, fitted_before(CLASSES, given.scores) as fit:
        folder = Path(name) / "scores"
        folder.mkdir()
        generate(folder, given.pairs, given.scores)
        cluster = StandaloneCluster(Path(name))
        try:
            with (
                scale.connect("spark", master=cluster.url) as engine,
                MemoryWatch(kind=kind_of, every=WATCH_EVERY) as watch,
            ):
                stored = scale.stored_scores(engine, f"{folder}/*.parquet", classes=names(CLASSES))
                for turn in range(given.repeat + 1):  # the first one is a warm-up
                    for method in METHODS:
                        started = time.perf_counter()
                        known = training(method, scores=given.scores)
                        top = scale.rank(stored, **known, method=method).top(COMPARED)
                        if turn:
                            runs[method].append(time.perf_counter() - started)
        finally:
            cluster.stop()
        best = {method: min(seconds) for method, seconds in runs.items()}
        for method, seconds in best.items():
            each = 1e9 * seconds / given.pairs
            print(f"{method:<12} {given.pairs:,} pairs: {seconds:6.1f} s, {each:.1f} ns per pair")
        print(f"fit: {fit:.1f} s")
        print(*watch.lines(), sep="\n")
        found = [int(one) for one in top["document"].to_pylist()]
        same = found == in_memory(folder, given.scores)
        print(f"the best {COMPARED:,} documents are those of memory: {'yes' if same else 'NO'}")
    ratio = best["contextual"] / best["u-theoretic"]
    report("Spark standalone: contextual / u-theoretic", ratio, "at most 5")


if __name__ == "__main__":
    main()
