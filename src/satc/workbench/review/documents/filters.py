"""Filters of the table of documents; a document must pass all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from satc.workbench.review.desk import Desk
from satc.workbench.review.documents.states import DocumentStates, Mask
from satc.workbench.review.documents.visibility import Hidden

State = Literal["undecided", "decided", "open"]
SourceName = Literal["ranked", "audit", "second", "chosen", "imported"]  # see `model.shown`


class Filters(BaseModel):
    """What a document must be like; None stands for anything. The route has the same fields."""

    model_config = ConfigDict(frozen=True)

    state: State | None = Field(None, description="Open: somebody has the document open now.")
    flagged: bool | None = None
    noted: bool | None = None
    skipped: bool | None = Field(None, description="Somebody skipped it, and nobody has decided.")
    predicted: int | None = Field(None, ge=0, lt=2**31, description="A class that was predicted.")
    decided: int | None = Field(None, ge=0, lt=2**31, description="A class that was decided on.")
    by: str | None = Field(
        None, max_length=100, description="A person who decided on it or gave a second opinion."
    )
    corrected: bool | None = Field(None, description="People changed the predicted labels.")
    disagreed: bool | None = Field(None, description="Two people disagree on it.")
    source: SourceName | None = Field(
        None, description="Why somebody read it; audit: every document that was drawn for it."
    )


def passing(desk: Desk, states: DocumentStates, filters: Filters, hidden: Hidden) -> Mask:
    """Return the documents that pass all filters, judged by what the person may see."""
    mask = np.ones(len(states), dtype=bool)
    for one in _masks(desk, states, filters, hidden):
        mask &= one
    return mask


def _masks(desk: Desk, states: DocumentStates, filters: Filters, hidden: Hidden) -> Iterator[Mask]:
    record, is_seen = desk.record, ~hidden.decisions
    if filters.state is not None:
        yield _in_state(desk, states, filters.state)
    if filters.flagged is not None:
        yield (states.mask(record.flagged) & is_seen) == filters.flagged
    if filters.noted is not None:
        yield (states.mask(record.notes) & is_seen) == filters.noted
    if filters.skipped is not None:
        yield (states.mask(record.skipped) & (states.number == 0)) == filters.skipped
    if filters.predicted is not None:
        yield desk.validation.documents.decided[:, filters.predicted] & ~hidden.predictions
    if filters.decided is not None:
        yield states.mask(states.by_label.get(filters.decided, ())) & is_seen
    if filters.by is not None:
        yield states.mask(states.by_person.get(filters.by, ())) & is_seen
    if filters.corrected is not None:
        is_compared = (states.number > 0) & is_seen & ~hidden.predictions
        yield (states.corrected == filters.corrected) & is_compared
    if filters.disagreed is not None:
        yield (states.disagreed & is_seen) == filters.disagreed
    if filters.source is not None:
        yield _of_source(desk, states, filters.source, is_seen)


def _in_state(desk: Desk, states: DocumentStates, state: State) -> Mask:
    if state == "open":
        return states.mask({one.document for one in desk.leases.unexpired()})
    return np.asarray((states.number > 0) == (state == "decided"))


def _of_source(desk: Desk, states: DocumentStates, source: str, is_seen: Mask) -> Mask:
    if source == "audit":
        return states.mask(desk.record.drawn_for_audit)
    return states.mask(states.by_source.get(source, ())) & is_seen
