"""What undoing the last action of a person did, and which document they get again for it."""

from __future__ import annotations

from typing import NamedTuple

from satc.workbench.messages import Message
from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.model.record import Record
from satc.workbench.model.shown import Source
from satc.workbench.store.leases import Lease

REOPENED = (events.DECIDE, events.SECOND, events.SKIP)  # these gave a document away


class Undone(NamedTuple):
    """An action that was undone.

    Attributes
    ----------
    action
        The event that was undone.
    lease
        The lease on its document, if the person has it open (again).
    message
        What was undone, and what is in force now.
    """

    action: Event
    lease: Lease | None
    message: Message


def source_of(record: Record, action: Event) -> Source:
    """Return why a person had the document of an action that gave it away."""
    if action.kind == events.SECOND:
        return "second"
    details = action.details.get("shown", {}) if action.kind == events.DECIDE else action.details
    known: Source = details.get("source", "ranked")  # earlier versions did not store it with skips
    is_audited = known == "ranked" and action.document in record.drawn_for_audit
    return "audit" if is_audited else known


def can_reopen(record: Record, document: int, source: Source) -> bool:
    """Whether a document still needs the reading for which it was leased."""
    is_decided = record.current_decision(document) is not None
    if source == "second":
        return is_decided and not record.second_opinions.get(document)
    return not is_decided


def say_undone(record: Record, action: Event, lease: Lease | None, other: str | None) -> Message:
    """Say what was undone. `other` is the person who has the document open, if it is not free."""
    match action.kind:
        case events.FLAG | events.UNFLAG | events.NOTE:
            return _say_restored(record, action)
        case events.REVISE:
            return _say_decided(record, action, "server.undone_revise")
        case _ if lease is not None:
            return Message(f"server.undone_{action.kind}")
        case _ if other is not None:
            return Message("server.undone_elsewhere", who=other)
        case _:
            return _say_decided(record, action, "server.undone_closed")


def _say_decided(record: Record, action: Event, key: str) -> Message:
    """Say whose decision is in force, if it is that of another person."""
    current = record.current_decision(action.document)
    if current is not None and current.who != action.who and current.number > action.number:
        return Message("server.undone_replaced", who=current.who)
    return Message(key)


def _say_restored(record: Record, action: Event) -> Message:
    """Say what became of a flag or a note."""
    last, is_note = record.flags_and_notes.last_change(action), action.kind == events.NOTE
    if last is not None and last.number > action.number:
        key = "server.undone_note_changed" if is_note else "server.undone_flag_changed"
        return Message(key, who=last.who)
    if not is_note:
        return Message(f"server.undone_{action.kind}")
    has_note = action.document in record.notes
    return Message("server.undone_note" if has_note else "server.undone_note_added")
