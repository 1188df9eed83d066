"""The two learners of the paper's experiments, each with its own view of a text (Section 6.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

from satc.learners.linear_svm import svm
from satc.learners.mpboost import MPBoostClassifier
from satc.learners.text import LogTfidfTransformer, count_vectorizer, presence_vectorizer


@dataclass(frozen=True)
class Learner:
    """How texts become counts, once, and what is trained on them, fold by fold.

    Counting all training texts at once gives the folds the same features as counting each fold
    by itself: a term without a training document weighs nothing.
    """

    name: str
    title: str
    vectorizer: Callable[[], Any]
    estimator: Callable[[], BaseEstimator]


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("mpboost", "MP-Boost", presence_vectorizer, MPBoostClassifier),
        Learner(
            "svm", "SVMs", count_vectorizer, lambda: make_pipeline(LogTfidfTransformer(), svm())
        ),
    )
}
