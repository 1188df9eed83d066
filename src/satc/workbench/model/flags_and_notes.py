"""Flags and notes of documents, each of which can be undone.

Every document keeps the events that changed its flag or its note and were not undone; the last one
is in force. So if somebody else changed a note later, that note stays when the earlier change is
undone.
"""

from __future__ import annotations

from collections import defaultdict

from satc.workbench.model import events
from satc.workbench.model.events import Event

KINDS = (events.FLAG, events.UNFLAG, events.NOTE)


class FlagsAndNotes:
    """The flags and notes that are in force.

    Attributes
    ----------
    flagged : set of int
        Documents that are flagged.
    notes : dict
        The note of each document that has one.
    """

    def __init__(self) -> None:
        self.flagged: set[int] = set()
        self.notes: dict[int, str] = {}
        self._changes: dict[tuple[bool, int], list[Event]] = defaultdict(list)

    def add(self, event: Event) -> None:
        """Change a flag or a note."""
        self._changes_like(event).append(event)
        self._enforce(event)

    def undo(self, event: Event) -> None:
        """Undo a change."""
        self._changes_like(event).remove(event)
        self._enforce(event)

    def last_change(self, event: Event) -> Event | None:
        """Return the change that is in force, of the flag or the note that an event changed."""
        changes = self._changes_like(event)
        return changes[-1] if changes else None

    def _changes_like(self, event: Event) -> list[Event]:
        return self._changes[event.kind == events.NOTE, event.document]

    def _enforce(self, event: Event) -> None:
        document, last = event.document, self.last_change(event)
        if event.kind == events.NOTE:
            self.notes.pop(document, None)
            if last is not None and last.details["note"]:
                self.notes[document] = last.details["note"]
        elif last is not None and last.kind == events.FLAG:
            self.flagged.add(document)
        else:
            self.flagged.discard(document)
