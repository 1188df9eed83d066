"""How often the live interval of a cold start contains the true value, once it speaks.

Nothing is known but the scores of 3,000 test documents, drawn at random for each seed. One document
in five is drawn at random, the others are taken in the order of the ranking, and all are decided as
their true labels say. When 50, 100 and 200 random documents are decided, the 95% interval is
compared with the true macro- and micro-F1 of the labels at that time.

    python bench_assurance_cold.py [--seeds 34] [--cache DIRECTORY] [DATASET ...]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import satc
from satc.contingency import ContingencyTables
from satc.datasets.loading import load
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS
from satc.measures import F1, macro_or_micro

DATASETS = ("reuters21578", "ohsumed20k", "medline", "banking77")
SINGLE = ("banking77", "r52", "r8")
SIZE = 3_000
SHARE = 0.2
MARKS = (50, 100, 200)


def intervals(scores, truth, task, seed):
    """Yield the random documents so far, the average, and whether the interval covers."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(scores))[:SIZE]
    scores, truth = scores[chosen], truth[chosen]
    validation = satc.Validation(scores, task=task, random_state=seed)
    n_drawn = 0
    while n_drawn < MARKS[-1]:
        is_random = rng.random() < SHARE
        document = validation.draw() if is_random else validation.next()
        validation.submit(document, truth[document])
        n_drawn += is_random
        if is_random and n_drawn in MARKS:
            tables = ContingencyTables.from_labels(truth, validation.labels)
            for average in ("macro", "micro"):
                found = validation.accuracy(average=average)
                true = macro_or_micro(F1, tables, average)
                yield n_drawn, average, found.low <= true <= found.high, found.high - found.low


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("datasets", nargs="*", default=DATASETS)
    parser.add_argument("--seeds", type=int, default=34)
    parser.add_argument("--cache", type=Path, default=Path("build/scores"))
    given = parser.parse_args()
    everything: dict[tuple[int, str], list[bool]] = {}
    for name in given.datasets:
        dataset = load(name)
        task = "single-label" if name in SINGLE else "multi-label"
        for learner in LEARNERS.values():
            if name == "banking77" and learner.name != "svm":
                continue
            scores = scores_of(dataset, learner, given.cache, n_jobs=2).test
            found: dict[tuple[int, str], list[tuple[bool, float]]] = {}
            for seed in range(given.seeds):
                for n, average, covers, width in intervals(scores, dataset.test.labels, task, seed):
                    found.setdefault((n, average), []).append((covers, width))
                    everything.setdefault((n, average), []).append(covers)
            print(f"\n{name}, {learner.title}, {given.seeds} seeds", flush=True)
            for (n, average), values in sorted(found.items()):
                covered, width = np.mean([c for c, _ in values]), np.mean([w for _, w in values])
                print(f"  {n:>4} random, {average}: covered {covered:.3f}, width {width:.3f}")
    print("\nall")
    for (n, average), values in sorted(everything.items()):
        print(f"  {n:>4} random, {average}: {np.mean(values):.3f} of {len(values)}")


if __name__ == "__main__":
    main()
