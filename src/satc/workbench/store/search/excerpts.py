"""Excerpts of texts: the part of a document around the first match, in pieces.

Pieces tell which characters match, so that no reader has to count characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from satc.learners.text.scripts import has_unspaced, pieces_of
from satc.workbench.store.search.query import Query
from satc.workbench.store.search.terms import WRITTEN_WORDS, folded

LENGTH = 240  # characters of an excerpt
LOOKED_AT = 20_000  # characters of a text in which matches are looked for
_BEFORE = 60  # characters before the first match
_LATE = LENGTH - 2 * _BEFORE  # a match before this place is seen in the beginning of the text
_MORE = "…"


class Piece(NamedTuple):
    """A part of an excerpt."""

    text: str
    is_match: bool


def excerpt(text: str, query: Query) -> list[Piece]:
    """Return the beginning of a text in one line, or the part of it around the first match.

    >>> from satc.workbench.store.search.query import parse_query
    >>> excerpt("Gold and oil", parse_query("GOL"))
    [Piece(text='Gold', is_match=True), Piece(text=' and oil', is_match=False)]
    """
    line = " ".join(text[:LOOKED_AT].split())
    spans = _matches(line, query) if query.phrases else iter(())
    first = next(spans, None)
    start = 0
    if first is not None and first[0] > _LATE:
        start = line.rfind(" ", 0, first[0] - _BEFORE) + 1 or first[0] - _BEFORE
    end = min(len(line), start + LENGTH)
    found = [] if first is None else [first, *_until(spans, end)]
    pieces = _pieces(line, start, end, found)
    more = end < len(line) or len(text) > LOOKED_AT
    head = [Piece(_MORE, is_match=False)] if start else []
    tail = [Piece(_MORE, is_match=False)] if more else []
    return head + pieces + tail


def _until(spans: Iterator[tuple[int, int]], end: int) -> Iterator[tuple[int, int]]:
    for span in spans:
        if span[0] >= end:
            return
        yield span


def _pieces(line: str, start: int, end: int, spans: list[tuple[int, int]]) -> list[Piece]:
    pieces = []
    at = start
    for first, last in spans:
        if first >= end:
            break
        pieces += [Piece(line[at:first], False), Piece(line[first : min(last, end)], True)]
        at = min(last, end)
    pieces.append(Piece(line[at:end], is_match=False))
    return [piece for piece in pieces if piece.text]


def _matches(line: str, query: Query) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of every word, or part of a run, that the query has."""
    words = {word for phrase in query.phrases for word in phrase.words}
    prefixes = tuple(p.words[-1] for p in query.phrases if p.is_prefix and p.words)
    runs = [run for phrase in query.phrases for run in phrase.runs]
    for match in WRITTEN_WORDS.finditer(line):
        written = match.group()
        if has_unspaced(written):
            for piece in pieces_of(written):
                yield from _in_run(piece.text, match.start() + piece.start, runs)
        elif (word := folded(written)) in words or word.startswith(prefixes or ("\0",)):
            yield match.span()


def _in_run(run: str, start: int, wanted: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where the wanted parts of a run are, without overlaps."""
    plain = folded(run)
    if len(plain) != len(run):  # a sign has become several: mark the whole run
        if any(one in plain for one in wanted):
            yield start, start + len(run)
        return
    at = 0
    while at < len(plain):
        length = max((len(one) for one in wanted if plain.startswith(one, at)), default=0)
        if length:
            yield start + at, start + at + length
        at += length or 1
