"""The live estimate on original splits, with and without the correction for a prior shift.

Coverage, error and width before the first decision and at 2, 5, 10 and 20%, as in
`bench_assurance_coverage.py`. Test labels are the truth here, and nothing is chosen by them. A
second table has the expected and the true counts of the decisions, which say where an error of the
estimate comes from.

    python bench_prior_shift_live.py CACHE RESULTS N_SEEDS DATASET:LEARNER...

Results are appended to a file, and a run continues where the last one stopped.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

from bench_assurance_coverage import DEPTHS, split, validate
from bench_prior_shift import pools_of, run
from satc.ranking import rank


def study_live(pools, key):
    """Return rows of (corrected, depth, average, truth, value, low, high, assumption holds)."""
    name, learner, _, seed = key
    parts = split(pools[name, learner], "original", seed)
    return [
        (shifted, *row)
        for shifted in (False, True)
        for row in validate(parts, "sign", prior_shift=shifted)
    ]


def print_live(results):
    live = defaultdict(list)
    for line in results.open():
        entry = json.loads(line)
        for shifted, depth, average, truth, value, low, high, _ in entry["rows"]:
            live[*entry["key"][:2], average, shifted, depth].append(
                (low <= truth <= high, value - truth, high - low)
            )
    for average in ("micro", "macro"):
        shares = " | ".join(f"{depth:.0%}" for depth in DEPTHS)
        print(f"{average}-F1:\n")
        print(f"| dataset | learner | corrected | seeds | {shares} |")
        print("|:--|:--|:--|--:|" + "--:|" * len(DEPTHS))
        for name, learner, shifted in sorted({(n, v, s) for n, v, _, s, _ in live}):
            cells = [live[name, learner, average, shifted, depth] for depth in DEPTHS]
            means = [np.mean(cell, axis=0) for cell in cells]
            shown = " | ".join(f"{m[0]:.0%} {m[1]:+.3f} {m[2]:.3f}" for m in means)
            named = "yes" if shifted else "no"
            print(f"| {name} | {learner} | {named} | {len(cells[0])} | {shown} |")
        print()


def counts(parts, shifted):
    """Return TP and FN, true and expected, labels in Tr and Te, and mean sizes of scores."""
    oof, y_train, scores, y_true = parts
    probability = rank(scores, oof_scores=oof, y_train=y_train, prior_shift=shifted).probability
    decided = scores >= 0
    true = (decided & y_true).sum(), (~decided & y_true).sum()
    expected = probability[decided].sum(), probability[~decided].sum()
    sizes = np.abs(oof).mean(), np.abs(scores).mean()
    return *true, *expected, y_train.sum(), y_true.sum(), *sizes


def print_counts(pools, n_seeds):
    print(
        "| dataset | learner | split | corrected | true TP | expected | true FN | expected | "
        "labels in Tr | in Te | mean size of scores in Tr | in Te |"
    )
    print("|:--|:--|:--|:--|" + "--:|" * 8)
    for (name, learner), both in pools.items():
        for kind in ("original", "exchangeable"):
            for shifted in (False, True):
                parts = [split(both, kind, seed) for seed in range(n_seeds)]
                mean = np.mean([counts(one, shifted) for one in parts], axis=0)
                t, f, et, ef, *rest = mean
                shown = " | ".join(f"{x:.1f}" for x in (t, et, f, ef, *rest))
                named = "yes" if shifted else "no"
                print(f"| {name} | {learner} | {kind} | {named} | {shown} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cache, results, n_seeds, *pairs = sys.argv[1:]
    pools = pools_of(pairs, Path(cache))
    keys = [(*pair, "live", seed) for seed in range(int(n_seeds)) for pair in pools]
    run(study_live, keys, Path(results), pools)
    print_live(Path(results))
    print_counts(pools, int(n_seeds))
