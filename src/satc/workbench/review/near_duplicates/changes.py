"""The words in which a text differs from a similar one, as pieces that people can read."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple
from unicodedata import normalize

from satc.learners.text.scripts import pieces_of

_LONGEST = 1_000  # words that are compared; where more differ, the text has no marks


class TextPiece(NamedTuple):
    """A part of a text: the same in both, only here, or only in the other text."""

    kind: Literal["same", "added", "missing"]
    text: str


class _Word(NamedTuple):
    """A word as it is compared, and where it begins in the text."""

    word: str
    start: int


def changes(text: str, other: str) -> list[TextPiece]:
    """Return the pieces of a text, compared with another one.

    The pieces that are not "missing" are the whole text.

    >>> [tuple(piece) for piece in changes("A red house.", "A blue house!")]
    [('same', 'A '), ('missing', 'blue '), ('added', 'red '), ('same', 'house.')]
    """
    here, there = _words(text), _words(other)
    return [piece for piece in _compared(text, here, other, there) if piece.text]


def _compared(text: str, here: list[_Word], other: str, there: list[_Word]) -> Iterator[TextPiece]:
    """Yield the pieces; the same words at both ends need no comparison, which takes long."""
    start, end = _same_ends([one.word for one in here], [one.word for one in there])
    yield TextPiece("same", text[: here[0].start] if here else text)
    yield TextPiece("same", _slice(text, here, 0, start))
    mine, theirs = here[: len(here) - end], there[: len(there) - end]
    if max(len(mine), len(theirs)) - start > _LONGEST:
        yield TextPiece("same", _slice(text, here, start, len(mine)))
    else:
        yield from _changed(text, here, other, there, (start, len(mine), len(theirs)))
    yield TextPiece("same", _slice(text, here, len(mine), len(here)))


def _changed(
    text: str, here: list[_Word], other: str, there: list[_Word], span: tuple[int, int, int]
) -> Iterator[TextPiece]:
    """Yield the pieces between the words that are the same at both ends."""
    start, stop_here, stop_there = span
    matcher = SequenceMatcher(
        None,
        [one.word for one in there[start:stop_there]],
        [one.word for one in here[start:stop_here]],
    )
    for kind, *bounds in matcher.get_opcodes():
        from_there, to_there, from_here, to_here = (start + bound for bound in bounds)
        mine = _slice(text, here, from_here, to_here)
        if kind == "equal":
            yield TextPiece("same", mine)
        else:
            yield TextPiece("missing", _slice(other, there, from_there, to_there))
            yield TextPiece("added", mine)


def _same_ends(mine: list[str], theirs: list[str]) -> tuple[int, int]:
    """Return how many words two lists share at the start, and at the end."""
    n = min(len(mine), len(theirs))
    start = next((k for k in range(n) if mine[k] != theirs[k]), n)
    end = next((k for k in range(n - start) if mine[-1 - k] != theirs[-1 - k]), n - start)
    return start, end


def _slice(text: str, words: list[_Word], start: int, end: int) -> str:
    """Return some words of a text with what stands between them and the next one."""
    if start == end:
        return ""
    stop = words[end].start if end < len(words) else len(text)
    return text[words[start].start : stop]


def _words(text: str) -> list[_Word]:
    found: list[_Word] = []
    for piece in pieces_of(text, digits=True):
        if piece.is_run:
            found.extend(_Word(sign, piece.start + k) for k, sign in enumerate(piece.text))
        else:
            found.append(_Word(normalize("NFKC", piece.text).casefold(), piece.start))
    return found
