"""Learners by name: an SVM on what suits the texts, the paper's, those of plugins, a module's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from sklearn.base import clone

from satc.errors import PluginError, SatcError
from satc.learners.presets import LEARNERS, PLUGINS
from satc.learners.text import TextVectorizer
from satc.plugins.table import described
from satc.texts.learner_names import learner_names
from satc.texts.words.wanted import AUTO, WantedAnalysis


class TextLearner(NamedTuple):
    """An unfitted classifier, with the vectorizer that turns texts into its input.

    The vectorizer is None if the classifier takes the texts themselves.
    """

    vectorizer: Any
    estimator: Any


def make_learner(name: str, wanted: WantedAnalysis) -> TextLearner:
    """Return the learner of this name, or the classifier that ``module:object`` names.

    The presets of the paper count English words, unless the user wants another analysis. Learners
    of installed packages take the texts as they are, and so does ``module:object``.
    """
    if name in LEARNERS:
        preset = LEARNERS[name]
        vectorizer = TextVectorizer(**vars(wanted)) if wanted.is_named else preset.vectorizer()
        return TextLearner(vectorizer, preset.estimator())
    if name == AUTO:
        return TextLearner(TextVectorizer(**vars(wanted)), LEARNERS["svm"].estimator())
    if wanted.is_named:
        raise ValueError(
            f"language, analyzer and digits must be left out if the learner is {name!r}, which "
            "takes the texts as they are"
        )
    return TextLearner(None, load_learner(name) if ":" in name else _plugin(name))


def _plugin(name: str) -> Any:
    """Return the classifier of a learner that an installed package offers."""
    make = PLUGINS.find(name)
    if make is None:
        known = ", ".join(sorted(learner_names()))
        raise ValueError(f"learner must be one of {known}, or module:object, but is {name!r}")
    return clone(make())


@contextmanager
def naming_plugin(name: str) -> Iterator[None]:
    """Let the errors of a learner name its package, if an installed package offers the learner.

    Raises
    ------
    PluginError
        If the code of the package raises any error.
    """
    try:
        yield
    except SatcError:
        raise
    except Exception as error:  # the code of the package may raise any error
        plugin = PLUGINS.offer(name)
        if plugin is None:
            raise
        raise PluginError(f"{plugin} failed: {described(error)}") from error


def load_learner(name: str) -> Any:
    """Import the scikit-learn classifier that ``module:object`` names.

    The object is a classifier of texts, or a function that returns one. The module may be in the
    current folder.
    """
    module, _, attribute = name.partition(":")
    if not (module and attribute):
        raise ValueError(f"learner must be a name or module:object, but is {name!r}")
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
