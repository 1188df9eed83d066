"""The learners of the paper by name, each with its own features (Section 6.3)."""

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
    """A vectorizer, which is fitted once, and an estimator, which is fitted for each fold.

    Counting all training texts at once gives the same result as counting the texts of each fold: a
    term that no training document of a fold contains has weight 0 and is never a pivot.
    """

    name: str
    title: str
    vectorizer: Callable[[], Any]
    estimator: Callable[[], BaseEstimator]


def _terms_of_two_documents() -> Any:
    """Return a vectorizer that ignores terms which occur in one training document only.

    A stump on such a term cannot be right about any other document. Without these terms MP-Boost is
    closest to the figures of the paper (docs/reproduction.md).
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
