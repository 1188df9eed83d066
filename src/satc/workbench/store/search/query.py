"""What a person searches for: phrases, all of which a document must have.

Words stand for themselves. The last word may be the beginning of a longer one, because it may not
be typed to its end. Words in double quotes must follow each other. Nothing that a person types is
ever read as the syntax of a database.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from satc.workbench.store.search.terms import pairs_of, parts_of

_MOST_PHRASES = 16
_MOST_TERMS = 64  # of one phrase
_UNITS = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True)
class Phrase:
    """Terms that follow each other; with `is_prefix`, the last one is the beginning of a term.

    `words` and `runs` are the same as people see them: they are marked in excerpts.
    """

    terms: tuple[str, ...]
    is_prefix: bool
    words: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Query:
    """Phrases that a document must have; without any, nothing can be found."""

    phrases: tuple[Phrase, ...]


def parse_query(text: str) -> Query:
    """Return what a text asks for.

    >>> [phrase.terms for phrase in parse_query('chest "heart attack" pai').phrases]
    [('chest',), ('heart', 'attack'), ('pai',)]
    """
    units = list(_UNITS.finditer(text))[:_MOST_PHRASES]
    last = units[-1] if units else None
    found = (
        _phrase(unit[1] if unit[2] is None else unit[2], unit is last and unit[2] is not None)
        for unit in units
    )
    return Query(tuple(phrase for phrase in found if phrase.terms))


def _phrase(text: str, is_last: bool) -> Phrase:
    parts = list(parts_of(text))[:_MOST_TERMS]
    terms: list[str] = []
    for part in parts:
        terms += pairs_of(part.text) if part.is_run else [part.text]
    is_prefix = is_last
    if parts and parts[-1].is_run:  # the run may go on: its last character is no end
        is_prefix = len(parts[-1].text) == 1
        terms = terms if is_prefix else terms[:-1]
    words = tuple(part.text for part in parts if not part.is_run)
    runs = tuple(part.text for part in parts if part.is_run)
    return Phrase(tuple(terms[:_MOST_TERMS]), is_prefix, words, runs)
