"""The kinds of plugins, and the groups of entry points in which packages offer them."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of plugins: the group of their entry points, and the word for one of them."""

    group: str
    word: str


LEARNERS = Kind("satc.learners", "learner")
MEASURES = Kind("satc.measures", "measure")
METHODS = Kind("satc.methods", "method")
FORMATS = Kind("satc.formats", "format")
KINDS = (LEARNERS, MEASURES, METHODS, FORMATS)
