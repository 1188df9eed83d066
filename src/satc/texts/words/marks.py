"""Mark the parts of a text that speak for and against a label."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from satc.learners.text.scripts import Piece, pieces_of

LONGEST_PART = 4  # characters, in scripts without spaces


class Mark(NamedTuple):
    """A part of a text, with its weight for a label; a negative weight is against the label."""

    start: int
    end: int
    weight: float


def marks(text: str, lexicon: Mapping[str, int], weights: Mapping[int, float]) -> list[Mark]:
    """Return the words of a text for and against a label; the largest weight is scaled to 1.

    In scripts without spaces, neighbouring characters that speak for the same side are one mark.

    >>> marks("Wheat rose.", {"wheat": 0, "rose": 1}, {0: 2.0, 1: -1.0})
    [Mark(start=0, end=5, weight=1.0), Mark(start=6, end=10, weight=-0.5)]
    >>> marks("小麦涨价", {"小麦": 0, "麦": 1}, {0: 2.0, 1: 1.0})
    [Mark(start=0, end=2, weight=1.0)]
    """
    found: list[Mark] = []
    for piece in pieces_of(text, digits=True):
        if piece.is_run:
            found += _in_run(piece, lexicon, weights)
        elif weight := weights.get(lexicon.get(piece.text.lower(), -1)):
            found.append(Mark(piece.start, piece.end, weight))
    largest = max((abs(mark.weight) for mark in found), default=1.0)
    return [Mark(start, end, round(weight / largest, 3)) for start, end, weight in found]


def _in_run(run: Piece, lexicon: Mapping[str, int], weights: Mapping[int, float]) -> Iterator[Mark]:
    """Divide the weight of each part among its characters, and join characters of one side."""
    of_characters = [0.0] * len(run.text)
    for start in range(len(run.text)):
        for end in range(start + 1, min(start + LONGEST_PART, len(run.text)) + 1):
            weight = weights.get(lexicon.get(run.text[start:end].lower(), -1), 0.0)
            for k in range(start, end):
                of_characters[k] += weight / (end - start)
    sides = groupby(enumerate(of_characters, run.start), key=lambda at: (at[1] > 0) - (at[1] < 0))
    for side, members in sides:
        if side:
            places = list(members)
            yield Mark(places[0][0], places[-1][0] + 1, sum(weight for _, weight in places))


def unpacked(lexicon: bytes) -> dict[str, int]:
    """Read a lexicon from bytes: the number of each word."""
    numbers: dict[str, int] = json.loads(zlib.decompress(lexicon))
    return numbers


def unpacked_weights(data: bytes) -> dict[int, float]:
    """Read the weights of a class: the weight of each number."""
    return dict(json.loads(data))
