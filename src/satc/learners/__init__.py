"""Learners: MP-Boost and the SVM preset of the paper (Section 6.3), and features of texts.

* `text`: from texts to features: the paper's, and those of any language.
* `linear_svm`, `dual_descent`: the SVM preset, and its solver.
* `transductive_svm`, `self_training`: learners that also use the documents to be labelled.
* `mpboost`: MP-Boost and AdaBoost.MH as one scikit-learn classifier.
* `mpboost_design`, `mpboost_kernels`, `mpboost_mh`: its data structure and its loops.
* `presets`: the learners by name, for experiments and commands.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satc.learners.linear_svm import svm
    from satc.learners.mpboost import MPBoostClassifier
    from satc.learners.self_training import SelfTraining
    from satc.learners.text import TextVectorizer, presence_vectorizer, tfidf_vectorizer
    from satc.learners.transductive_svm import TransductiveSVM

_HOMES = {
    "MPBoostClassifier": "satc.learners.mpboost",
    "SelfTraining": "satc.learners.self_training",
    "TextVectorizer": "satc.learners.text",
    "TransductiveSVM": "satc.learners.transductive_svm",
    "presence_vectorizer": "satc.learners.text",
    "svm": "satc.learners.linear_svm",
    "tfidf_vectorizer": "satc.learners.text",
}

__all__ = [
    "MPBoostClassifier",
    "SelfTraining",
    "TextVectorizer",
    "TransductiveSVM",
    "presence_vectorizer",
    "svm",
    "tfidf_vectorizer",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'satc.learners' has no attribute {name!r}")
