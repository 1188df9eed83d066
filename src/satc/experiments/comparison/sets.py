"""The documents of a dataset with the scores of a learner, for each seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from satc.datasets.dataset import Dataset
from satc.experiments.comparison.contenders import KnownSet
from satc.experiments.scores import scores_of
from satc.inputs import MULTI_LABEL, SINGLE_LABEL
from satc.learners.presets import Learner
from satc.learners.text import tfidf_vectorizer


def task_of(dataset: Dataset) -> str:
    """Return "single-label" if every document of the dataset has exactly one label."""
    parts = (dataset.train.labels, dataset.test.labels)
    return SINGLE_LABEL if all((one.sum(axis=1) == 1).all() for one in parts) else MULTI_LABEL


def dataset_sets(
    dataset: Dataset,
    learner: Learner,
    cache: Path,
    seeds: Sequence[int],
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[KnownSet]:
    """Return the test documents with scores and features; each seed has folds of its own.

    The features are tf-idf weights of the words, for the contextual methods.
    """
    vectorizer = tfidf_vectorizer()
    features: dict[str, Any] = {
        "train_features": vectorizer.fit_transform(dataset.train.texts),
        "features": vectorizer.transform(dataset.test.texts),
    }
    sets = []
    for seed in seeds:
        scores = scores_of(dataset, learner, cache, seed=seed, n_jobs=n_jobs, progress=progress)
        known = {"oof_scores": scores.oof, "y_train": dataset.train.labels, **features}
        sets.append(KnownSet(scores.test, dataset.test.labels, known, task_of(dataset), seed))
    return sets
