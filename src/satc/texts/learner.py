"""Learners by name: a preset, or ``module:object`` for a classifier of the user's own."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NamedTuple

from sklearn.base import clone

from satc.learners.presets import LEARNERS
from satc.texts.embedded.wanted import ALONE, BESIDE_WORDS


class TextLearner(NamedTuple):
    """An unfitted classifier, with the vectorizer that turns texts into its input.

    The vectorizer is None if the classifier takes the texts themselves.
    """

    vectorizer: Any
    estimator: Any


def make_learner(name: str) -> TextLearner:
    """Return the preset of this name, or the classifier that ``module:object`` names."""
    if name in LEARNERS:
        preset = LEARNERS[name]
        return TextLearner(preset.vectorizer(), preset.estimator())
    return TextLearner(None, load_learner(name))


def load_learner(name: str) -> Any:
    """Import the scikit-learn classifier that ``module:object`` names.

    The object is a classifier of texts, or a function that returns one. The module may be in the
    current folder.
    """
    module, _, attribute = name.partition(":")
    if not (module and attribute):
        known = ", ".join((ALONE, *sorted(LEARNERS), BESIDE_WORDS))
        raise ValueError(f"learner must be one of {known}, or module:object, but is {name!r}")
    sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), attribute)
        if isinstance(found, type) or not hasattr(found, "fit"):
            found = found()
        return clone(found)
    except Exception as error:  # the user's module may raise any error
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"learner {name!r} cannot be loaded: {what}") from error
    finally:
        sys.path.pop(0)
