"""The learners by name: those of the paper, each with its own view of a text (Section 6.3)."""

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
    by itself: a term without a training document weighs nothing and makes no pivot.
    """

    name: str
    title: str
    vectorizer: Callable[[], Any]
    estimator: Callable[[], BaseEstimator]


def _terms_of_two_documents() -> Any:
    """A stump on a term of a single training document cannot be right about any other one.

    Without such terms MP-Boost comes closest to the paper's figures (docs/reproduction.md).
    """
    return presence_vectorizer(min_df=2)


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("mpboost", "MP-Boost", _terms_of_two_documents, MPBoostClassifier),
        Learner(
            "svm", "SVMs", count_vectorizer, lambda: make_pipeline(LogTfidfTransformer(), svm())
        ),
    )
}
