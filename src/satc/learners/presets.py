"""The learners by name, each with its own features: the paper's (Section 6.3), and transductive.

Installed packages can offer further learners (`satc.plugins`): classifiers of texts. The modules of
learners are imported when a learner is made: their names are needed without scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from satc.plugins.contracts.learner import make_classifier
from satc.plugins.installed import Plugin
from satc.plugins.kinds import LEARNERS as KIND
from satc.plugins.table import PluginTable

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


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
    from satc.learners.text import presence_vectorizer

    return presence_vectorizer(min_df=2)


def _counts() -> Any:
    from satc.learners.text import count_vectorizer

    return count_vectorizer()


def _mpboost() -> BaseEstimator:
    from satc.learners.mpboost import MPBoostClassifier

    return MPBoostClassifier()


def _svm() -> BaseEstimator:
    from sklearn.pipeline import make_pipeline

    from satc.learners.linear_svm import svm
    from satc.learners.text import LogTfidfTransformer

    return make_pipeline(LogTfidfTransformer(), svm())


def _transductive_svm() -> BaseEstimator:
    from sklearn.pipeline import make_pipeline

    from satc.learners.text import LogTfidfTransformer
    from satc.learners.transductive_svm import TransductiveSVM

    return make_pipeline(LogTfidfTransformer(), TransductiveSVM(random_state=0))


def _self_training() -> BaseEstimator:
    from sklearn.pipeline import make_pipeline

    from satc.learners.self_training import SelfTraining
    from satc.learners.text import LogTfidfTransformer

    return make_pipeline(LogTfidfTransformer(), SelfTraining())


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("mpboost", "MP-Boost", _terms_of_two_documents, _mpboost),
        Learner("svm", "SVMs", _counts, _svm),
        Learner("tsvm", "transductive SVMs", _counts, _transductive_svm),
        Learner("self-training", "self-training", _counts, _self_training),
    )
}

OTHER_NAMES = ("auto", "embeddings")  # learners of commands that are no presets


def _adapt(plugin: Plugin, function: Any) -> Callable[[], Any]:
    """Check the function of a package that makes a classifier of texts."""
    make_classifier(function)
    return lambda: make_classifier(function)


PLUGINS = PluginTable(KIND, lambda: (*LEARNERS, *OTHER_NAMES), _adapt)
