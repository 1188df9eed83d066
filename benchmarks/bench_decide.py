"""Labels chosen for a measure in memory: time per pair, and over a sort of the same columns.

`choose` sorts the probabilities of each class once; everything else is linear in the pairs. The
probabilities are those of classes from rare to frequent.

    python benchmarks/bench_decide.py [--largest 10000000]
"""

from __future__ import annotations

import argparse

import numpy as np

from satc.decisions import Costs, choose
from satc.measures import parse
from timing import report, seconds

CLASSES = 100


def make(n: int, m: int = CLASSES) -> np.ndarray:
    rng = np.random.default_rng(0)
    log_odds = np.linspace(-9, -2, m) + 2.0 * rng.normal(size=(n, m))
    return 1 / (1 + np.exp(-log_odds))


def sort_columns(probability: np.ndarray) -> None:
    for column in probability.T:
        np.sort(column)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=10**7)
    largest = parser.parse_args().largest
    weighted = Costs(np.linspace(1, 2, CLASSES), np.ones(CLASSES), np.full(CLASSES, 2.0))
    cases = [("f1", "macro", None), ("kappa", "macro", None), ("f1", "micro", None)]
    cases += [("f1", "macro", weighted), ("f1", "micro", weighted)]
    for pairs in (10**5, 10**6, 10**7):
        if pairs > largest:
            break
        p = make(pairs // CLASSES)
        runs = [lambda p=p, c=case: choose(p, parse(c[0]), *c[1:]) for case in cases]
        found = seconds(lambda p=p: sort_columns(p), *runs, repeat=3 if pairs > 10**6 else 5)
        for (name, average, costs), time in zip(cases, found[1:], strict=True):
            case = f"{pairs:>10,} pairs, {average}-{name}" + (", weighted" if costs else "")
            report(f"{case}: choose / sort of columns", time / found[0], "at most 2")
            print(
                f"{'':>12}{1e9 * time / pairs:.0f} ns per pair, sort {1e9 * found[0] / pairs:.0f}"
            )


if __name__ == "__main__":
    main()
