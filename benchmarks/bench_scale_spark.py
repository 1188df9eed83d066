"""Rank 10^6 to 10^8 pairs with Spark on this machine: time per pair, and bytes shuffled.

python benchmarks/bench_scale_spark.py [--largest 100000000] [--folder DIR]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from bench_scale import CLASSES, TOP, make, names, training
from satc import scale


def shuffled(session: object) -> int:
    """Return the bytes written for shuffles by all stages so far."""
    tracker = session.sparkContext._jsc.sc().statusStore()
    stages = tracker.stageList(
        None,
        False,
        False,
        session.sparkContext._gateway.new_array(session.sparkContext._jvm.double, 0),
        None,
    )
    return sum(stages.apply(k).shuffleWriteBytes() for k in range(stages.size()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=10**8)
    parser.add_argument("--folder", help="where the files are written")
    given = parser.parse_args()
    known = training("u-theoretic")
    with scale.connect("spark", master="local[2]") as engine:
        before = 0
        for pairs in (10**6, 10**7, 10**8):
            if pairs > given.largest:
                break
            with tempfile.TemporaryDirectory(dir=given.folder) as folder:
                make(Path(folder), pairs // CLASSES, "long")
                started = time.perf_counter()
                stored = scale.stored_scores(engine, f"{folder}/*.parquet", classes=names(CLASSES))
                top = scale.rank(stored, **known, method="u-theoretic").top(TOP)
                seconds = time.perf_counter() - started
            assert len(top) == min(TOP, pairs // CLASSES)
            moved = shuffled(engine.session)
            print(
                f"long: {pairs:>13,} pairs: {seconds:8.1f} s, {1e9 * seconds / pairs:7.1f} ns per "
                f"pair, {(moved - before) / (pairs / CLASSES):.1f} bytes shuffled per document",
                flush=True,
            )
            before = moved


if __name__ == "__main__":
    main()
