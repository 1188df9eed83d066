"""The order of the table of documents."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from satc.validation import Validation
from satc.workbench.review.desk import Desk
from satc.workbench.review.documents.states import DocumentStates
from satc.workbench.review.documents.visibility import Hidden

Sort = Literal["rank", "position", "id", "when", "length"]
_DIGITS = re.compile(r"\d+")
_WIDTH = 20  # digits of a number in an id
_PLACED = 50  # open documents that are placed; each takes about a millisecond
_LAST = np.iinfo(np.int64).max


def sorted_documents(
    documents: NDArray[np.int64], keys: NDArray[np.int64], *, descending: bool
) -> NDArray[np.int64]:
    """Return documents by their keys; those without one, whose key is `_LAST`, come last.

    >>> sorted_documents(np.array([0, 1, 2]), np.array([5, _LAST, 7]), descending=True)
    array([2, 0, 1])
    """
    chosen = keys[documents]
    if descending:
        chosen = np.where(chosen == _LAST, _LAST, -chosen)
    return np.asarray(documents[np.argsort(chosen, kind="stable")])


def rank_keys(desk: Desk, states: DocumentStates) -> NDArray[np.int64]:
    """Return the place of each document in the present order; decided ones come last.

    Documents that people have open are where their utility puts them, so that opening one does
    not move it. Among the decided ones, the latest decision comes first.
    """
    validation = desk.validation
    remaining = validation.remaining()
    n_taken = next((k for k, i in enumerate(remaining) if not validation.is_taken(i)), 0)
    taken, free = remaining[:n_taken], remaining[n_taken:]
    keys = 4 * len(states) + states.number.max(initial=0) - states.number
    keys[free] = 2 * np.arange(len(free)) + 1
    keys[taken] = 0
    for document in taken[:_PLACED].tolist():
        keys[document] = 2 * _place(validation, document, free)
    return np.asarray(keys)


def _place(validation: Validation, document: int, order: NDArray[np.int64]) -> int:
    """Return where a document belongs in an order by utility."""
    utility = validation.utility(document)
    return bisect_left(order, -utility, key=lambda other: -validation.utility(other))


def when_keys(states: DocumentStates, hidden: Hidden) -> NDArray[np.int64]:
    """Return keys by the time of the decision, for decisions that a person may see."""
    is_known = (states.number > 0) & ~hidden.decisions
    return np.where(is_known, states.number, _LAST)


def id_keys(ids: Sequence[str]) -> NDArray[np.int64]:
    """Return the places of ids in their natural order: "d2" comes before "d10".

    >>> id_keys(["d10", "d2", "D1"])
    array([2, 1, 0])
    """
    natural = [_DIGITS.sub(lambda m: m.group().zfill(_WIDTH), one.casefold()) for one in ids]
    keys = np.empty(len(ids), dtype=np.int64)
    keys[sorted(range(len(ids)), key=natural.__getitem__)] = np.arange(len(ids))
    return keys
