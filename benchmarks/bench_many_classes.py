"""Time and memory of `contextual` beside `u-theoretic` with very many classes.

python benchmarks/bench_many_classes.py [CLASSES] [--dense]

Times are processor time, so that other work on the machine matters little.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings

import numpy as np
from scipy import sparse

import satc

N_DOCUMENTS, N_TRAIN, LABELS = 50, 200, 5


def made(n, m, dense, rng):
    """Return scores and labels of n documents with m classes."""
    labels = rng.random((n, m)) < (0.1 if dense else LABELS / m)
    return np.where(labels, 0.5, -1.5) + rng.normal(0.0, 0.6, (n, m)), labels


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("classes", type=int, nargs="?", default=100_000)
    parser.add_argument("--dense", action="store_true", help="every tenth pair is a label")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    scores, _ = made(N_DOCUMENTS, given.classes, given.dense, rng)
    oof, labels = made(N_TRAIN, given.classes, given.dense, rng)
    small = slice(0, 40)
    for method in ("u-theoretic", "contextual"):  # compile
        y = rng.random((N_TRAIN, 40)) < 0.3
        satc.rank(scores[:, small], oof_scores=oof[:, small], y_train=y, method=method)
    taken = {}
    for method in ("u-theoretic", "contextual"):
        start = time.process_time()
        satc.rank(scores, oof_scores=oof, y_train=sparse.csr_array(labels), method=method)
        taken[method] = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{method:12} {taken[method]:8.2f} s   peak {peak:6.0f} MB so far", flush=True)
    print(f"ratio {taken['contextual'] / taken['u-theoretic']:.1f}")


if __name__ == "__main__":
    main()
