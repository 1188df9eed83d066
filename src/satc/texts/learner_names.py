"""The names of all learners; scikit-learn is not loaded for them."""

from __future__ import annotations

from satc.learners.presets import LEARNERS, PLUGINS
from satc.texts.embedded.wanted import ALONE, BESIDE_WORDS
from satc.texts.words.wanted import AUTO


def learner_names() -> tuple[str, ...]:
    """Return the names of all learners, with those of installed packages.

    >>> learner_names()[:3]
    ('auto', 'mpboost', 'self-training')
    """
    return (AUTO, *sorted(LEARNERS), ALONE, BESIDE_WORDS, *PLUGINS.names())
