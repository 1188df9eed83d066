"""When a manager may give a document that somebody has open to another person."""

from __future__ import annotations

from satc.workbench.messages import Message
from satc.workbench.review.dispatch import OPEN_AT_ONCE
from satc.workbench.review.leases import NOT_OPEN, ConflictError, OpenLeases
from satc.workbench.review.state import ProjectState
from satc.workbench.store.leases import Lease


def check_assignment(state: ProjectState, leases: OpenLeases, held: Lease, who: str) -> None:
    """Refuse to give the document of a lease to a person who cannot decide on it.

    Raises
    ------
    ConflictError
        If the person has the document open already, has decided on it before, or has too many
        documents open; or if somebody has decided on it in the meantime.
    """
    record, mine = state.record, leases.of(who)
    if any(lease.document == held.document for lease in mine):
        raise ConflictError(Message("manage.has_it_open", who=who))
    if held.shown.is_second_opinion and record.has_decided(who, held.document):
        raise ConflictError(Message("manage.has_decided_before", who=who))
    if not held.shown.is_second_opinion and record.current_decision(held.document) is not None:
        raise ConflictError(NOT_OPEN)
    if len(mine) >= OPEN_AT_ONCE:
        raise ConflictError(Message("manage.has_too_many_open", who=who, n=OPEN_AT_ONCE))
