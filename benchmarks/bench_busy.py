"""How much slower `rank` is while other processes keep all processors busy.

python benchmarks/bench_busy.py [DOCUMENTS] [--wait SECONDS]

Without `OMP_NUM_THREADS`. The same ranking is timed alone, then beside one busy process per
processor; the processes run for `--wait` seconds first, so that the load average knows them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
import warnings

import numpy as np

import satc

N_TRAIN, N_CLASSES, TIMES = 3_000, 50, 3


def spin():
    """Keep a processor busy."""
    while True:
        sum(range(100_000))


def made(n, rng):
    """Return scores and labels of n documents."""
    labels = rng.random((n, N_CLASSES)) < 0.1
    return np.where(labels, 0.4, -1.2) + rng.normal(0.0, 0.8, labels.shape), labels


def seconds(scores, training):
    """Return the median time of a ranking."""
    taken = []
    for _ in range(TIMES):
        start = time.perf_counter()
        satc.rank(scores, training=training, method="contextual")
        taken.append(time.perf_counter() - start)
    return sorted(taken)[TIMES // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", type=int, nargs="?", default=10_000)
    parser.add_argument("--wait", type=float, default=60.0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    scores, _ = made(given.documents, rng)
    training = satc.Training(*made(N_TRAIN, rng))
    satc.rank(scores[:10], training=training, method="contextual")  # compile
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
    alone = seconds(scores, training)
    print(f"alone:             {alone:8.2f} s", flush=True)
    context = multiprocessing.get_context("spawn")
    busy = [context.Process(target=spin, daemon=True) for _ in range(os.cpu_count() or 1)]
    for one in busy:
        one.start()
    try:
        time.sleep(given.wait)
        beside = seconds(scores, training)
    finally:
        for one in busy:
            one.terminate()
    print(f"beside {len(busy)} busy ones: {beside:8.2f} s")
    print(f"ratio {beside / alone:.2f}")


if __name__ == "__main__":
    main()
