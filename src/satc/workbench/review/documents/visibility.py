"""What a person may see in the table of documents.

Nobody sees the first opinion on a document that they have open for a second one, nor the
predictions of a document that they have open blind. Annotators could get any other document for a
second opinion, or blind, as well: so they do not see the decision on a document that gets a second
opinion, nor the predictions of a blind document, until they have decided on it themselves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from satc.workbench.model.sampling import in_share
from satc.workbench.review.desk import Desk
from satc.workbench.review.documents.states import DocumentStates, Mask


class Reader(NamedTuple):
    """The person who looks at the table."""

    name: str
    is_manager: bool


class Hidden(NamedTuple):
    """The documents whose decisions, and whose predictions, a person must not see."""

    decisions: Mask
    predictions: Mask


def hidden_from(desk: Desk, states: DocumentStates, reader: Reader) -> Hidden:
    """Return what a person must not see."""
    leases = desk.leases.of(reader.name)
    decisions = states.mask({one.document for one in leases if one.shown.is_second_opinion})
    predictions = states.mask({one.document for one in leases if one.shown.is_blind})
    if reader.is_manager:
        return Hidden(decisions, predictions)
    settings, n = desk.project.settings, len(states)
    unread = ~states.mask(states.by_person.get(reader.name, ()))
    decisions |= _shared(n, settings.overlap, "overlap", settings.seed) & unread
    predictions |= _shared(n, settings.blind, "blind", settings.seed) & unread
    return Hidden(decisions & (states.number > 0), predictions)


@lru_cache(maxsize=32)
def _shared(n: int, share: float, purpose: str, seed: int) -> Mask:
    """Return the documents of a random share (`model.sampling`)."""
    if share <= 0.0:
        return np.zeros(n, dtype=bool)
    return np.fromiter((in_share(i, share, purpose, seed) for i in range(n)), bool, count=n)
