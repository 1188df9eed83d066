"""Transductive SVMs and self-training beside the inductive SVM, in the languages of BRIGHTER.

    python bench_transductive.py CACHE [SET ...]

All three learners get the same counts: those that `--learner auto` finds for the texts. Printed are
the rows of the table in docs/reproduction.md: the initial error, macro and micro, and ENER at
xi = .10. Scores are kept in CACHE.
"""

from __future__ import annotations

import sys
from pathlib import Path

from satc.datasets import load
from satc.experiments.protocol import evaluate
from satc.experiments.scores import scores_of
from satc.learners import TextVectorizer
from satc.learners.presets import LEARNERS, Learner

SETS = ("brighter-deu", "brighter-hin", "brighter-chn", "brighter-rus")
COMPARED = ("svm", "tsvm", "self-training")
METHODS = ("baseline", "u-theoretic")
XI = 1  # the place of .10 among the values of xi


def row(dataset, name, cache):
    """Return the cells of one learner."""
    preset = LEARNERS[name]
    learner = Learner(f"{name}-auto", preset.title, TextVectorizer, preset.estimator)
    scores = scores_of(dataset, learner, cache, n_jobs=1)
    found = evaluate(dataset, name, scores, methods=METHODS)
    figures = [found.error["macro"], found.error["micro"]]
    figures += [found.ener["macro"][method][XI] for method in METHODS]
    figures.append(found.ener["micro"]["u-theoretic"][XI])
    return [dataset.name, preset.title, *(f"{one:.3f}".replace("0.", ".", 1) for one in figures)]


def main(cache, *names):
    for name in names or SETS:
        dataset = load(name)
        for learner in COMPARED:
            print(f"| {' | '.join(row(dataset, learner, Path(cache)))} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
