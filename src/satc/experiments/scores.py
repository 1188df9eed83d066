"""Scores of a dataset by a learner: of the test documents, and out of fold (Section 6.1).

Training is slow. Therefore each step (the classifier trained on all documents, and one for each
fold) writes its scores to a cache as soon as it is done. A second run only ranks, and a run that
was interrupted continues where it stopped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from satc.datasets.dataset import Dataset
from satc.estimation.folds import Fold, make_folds
from satc.estimation.out_of_fold import score_fold
from satc.estimation.scorer import fit_scorer
from satc.estimation.transductive import is_transductive
from satc.files.atomic import atomic_file
from satc.learners.presets import Learner

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
N_FOLDS = 10


class CachedScores(NamedTuple):
    """Scores of the test documents, and out-of-fold scores of the training documents."""

    test: Array
    oof: Array


def scores_of(
    dataset: Dataset,
    learner: Learner,
    cache: Path,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> CachedScores:
    """Return scores from the cache; compute those that are missing."""
    cache.mkdir(parents=True, exist_ok=True)
    folds = make_folds(dataset.train.labels, N_FOLDS, seed)
    key = fingerprint(dataset, learner)
    files = [cache / f"{key}-test.npy"]
    files += [cache / f"{key}-seed{seed}-fold{k}.npy" for k in range(N_FOLDS)]
    missing = [step for step, file in enumerate(files) if not file.exists()]
    done = len(files) - len(missing)
    if progress:
        progress(done, len(files))
    for step, scores in _steps(dataset, learner, folds, missing, n_jobs):
        with atomic_file(files[step]) as temporary, temporary.open("wb") as stream:
            np.save(stream, scores)
        done += 1
        if progress:
            progress(done, len(files))
    oof = np.empty(dataset.train.labels.shape)
    for fold, file in zip(folds, files[1:], strict=True):
        oof[fold.test] = np.load(file)
    return CachedScores(np.load(files[0]), oof)


def fingerprint(dataset: Dataset, learner: Learner) -> str:
    """Return a name of the scores, with a hash of all they depend on: texts, labels, learner."""
    digest = hashlib.sha256()
    for part in (dataset.train, dataset.test):
        for text in part.texts:
            digest.update(text.encode())
            digest.update(b"\0")
        digest.update(np.packbits(part.labels).tobytes())
    # The repr of a function contains its address in memory, which must not change the hash.
    parameters = re.sub(r" at 0x[0-9a-f]+", "", repr((learner.estimator(), learner.vectorizer())))
    digest.update(parameters.encode())
    name = dataset.name.split("/")[0]
    return f"{name}-{learner.name}-{digest.hexdigest()[:12]}"


def _steps(
    dataset: Dataset, learner: Learner, folds: list[Fold], missing: list[int], n_jobs: int | None
) -> Iterator[tuple[int, Array]]:
    """Compute missing steps: step 0 trains on all documents, step k + 1 without fold k."""
    if not missing:
        return iter(())
    vectorizer = learner.vectorizer()
    X = vectorizer.fit_transform(dataset.train.texts)
    X_test = vectorizer.transform(dataset.test.texts)
    tasks = (
        delayed(_step)(step, learner.estimator(), X, X_test, dataset.train.labels, folds)
        for step in missing
    )
    results: Iterator[tuple[int, Array]] = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        tasks
    )
    return results


def _step(
    step: int, estimator: Any, X: Any, X_test: Any, labels: NDArray[np.bool_], folds: list[Fold]
) -> tuple[int, Array]:
    unlabelled = X_test if is_transductive(estimator) else None
    if step > 0:
        return step, score_fold(estimator, X, labels, folds[step - 1], unlabelled=unlabelled)
    others = () if unlabelled is None else (unlabelled,)
    return step, fit_scorer(estimator, X, labels, 1, unlabelled=others).scores(X_test)
