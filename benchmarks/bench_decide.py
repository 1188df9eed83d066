"""Labels chosen for a measure in memory: time per pair, and over a sort of the same pairs.

`choose` sorts once, class by class for macro and all pairs for micro; everything else is linear in
the pairs. The classes are from rare to frequent.

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


def sorted_as(average: str, probability: np.ndarray) -> None:
    """Sort the probabilities as an average needs them."""
    for column in probability.T if average == "macro" else [probability.ravel()]:
        np.sort(column)


def compare(average: str, pairs: int) -> None:
    """Time `choose` for several measures and costs, and the sort alone."""
    p = make(pairs // CLASSES)
    weighted = Costs(np.linspace(1, 2, CLASSES), np.ones(CLASSES), np.full(CLASSES, 2.0))
    cases = [("f1", None), ("kappa", None), ("f1", weighted)]
    runs = [lambda case=case: choose(p, parse(case[0]), average, case[1]) for case in cases]
    sort, *found = seconds(lambda: sorted_as(average, p), *runs, repeat=5)
    for (name, costs), time in zip(cases, found, strict=True):
        case = f"{average}-{name}{', costs' if costs else ''}, {pairs:,} pairs"
        report(f"{case}: choose / sort", time / sort, "at most 3 from 10^6 pairs on")
        print(f"  {1e9 * time / pairs:.0f} ns per pair, sort {1e9 * sort / pairs:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=10**7)
    largest = parser.parse_args().largest
    for pairs in (10**5, 10**6, 10**7):
        if pairs <= largest:
            compare("macro", pairs)
            compare("micro", pairs)


if __name__ == "__main__":
    main()
