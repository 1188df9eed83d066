"""What two-stage review costs on Reuters-21578, with pairs of topics as responsive and privileged.

A pair is a topic with at least 100 training documents (responsive) and another topic that 2 to 50%
of these documents, and at least 5 of them, have as well (privileged). Probabilities are contextual,
from the scores of an SVM alone. Reviewers make no mistakes. SIDE is train (half of the training
documents is the training side, the other half is reviewed; this side decided on the default) or
test. Three cost structures are those of the published code of MINECORE and its successor.

    python bench_two_stage.py CACHE SIDE
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

from satc.datasets.loading import load
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS
from satc.ranking import rank
from satc.review_stages import play
from satc.training import Training

COSTS = {
    "1": [[0, 600, 5], [150, 0, 3], [15, 15, 0]],
    "2": [[0, 100, 0.03], [10, 0, 2], [8, 8, 0]],
    "3": [[0, 1000, 0.1], [1, 0, 1], [1, 1, 0]],
}
PRICES = (1, 5)


def sides(dataset, cache, side):
    """Return the training side, and scores and labels of the documents that are reviewed."""
    held, labels = scores_of(dataset, LEARNERS["svm"], cache, n_jobs=1), dataset.train.labels
    if side == "test":
        return Training(held.oof, labels), held.test, dataset.test.labels
    order = np.random.default_rng(0).permutation(len(labels))
    a, b = order[: len(order) // 2], order[len(order) // 2 :]
    return Training(held.oof[a], labels[a]), held.oof[b], labels[b]


def pairs_of(labels):
    """Return pairs of classes, by the labels of all training documents."""
    together = labels.T.astype(int) @ labels.astype(int)
    n = np.diagonal(together)
    return [
        (r, p)
        for r in np.flatnonzero(n >= 100)
        for p in np.flatnonzero((together[r] >= 5) & (together[r] <= 0.5 * n[r]))
        if p != r and together[r, p] >= 0.02 * n[r]
    ]


def study(training, scores, labels, pairs):
    """Return rows: cost structure, probabilities, way to plan, and mean costs over the pairs."""
    for shifted in (False, True):
        probability = rank(scores, training=training, prior_shift=shifted).probability
        for name, costs in COSTS.items():
            for ahead in (False, True):
                played = [
                    play(
                        probability[:, r],
                        probability[:, p],
                        labels[:, r],
                        labels[:, p],
                        costs=costs,
                        prices=PRICES,
                        look_ahead=ahead,
                    )
                    for r, p in pairs
                ]
                yield name, shifted, ahead, played


def shown(played):
    """Return the mean costs, and how many documents were read."""
    totals = [
        np.mean([getattr(one, stage).total for one in played])
        for stage in ("manual", "automatic", "first", "second", "expected")
    ]
    read = [np.mean([getattr(one, f"n_{kind}") for one in played]) for kind in STAGES]
    return [f"{x:,.0f}" for x in (*totals, *read)]


STAGES = ("responsiveness", "privilege")

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cache, side = sys.argv[1:]
    dataset = load("reuters21578")
    training, scores, labels = sides(dataset, Path(cache), side)
    pairs = pairs_of(dataset.train.labels)
    print(f"{len(pairs)} pairs, {len(scores):,} documents")
    print(
        "\n| costs | prior shift | plan | all read | nobody reads | after responsiveness | "
        "after privilege | expected | read for responsiveness | for privilege |"
    )
    print("|:--|:--|:--|" + "--:|" * 7)
    for name, shifted, ahead, played in study(training, scores, labels, pairs):
        how = "looks ahead" if ahead else "stage by stage"
        cells = [name, "yes" if shifted else "no", how, *shown(played)]
        print("| " + " | ".join(cells) + " |")
