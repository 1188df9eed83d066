"""What people did, so that each person can undo it: the last action first.

Decisions, skips, flags and notes are actions. Imported decisions were made elsewhere, so `last`
does not return them; an event of an earlier version that undoes one still finds it.
"""

from __future__ import annotations

from collections import defaultdict

from satc.workbench.model import events
from satc.workbench.model.events import Event

ACTIONS = (
    events.DECIDE,
    events.SECOND,
    events.REVISE,
    events.SKIP,
    events.FLAG,
    events.UNFLAG,
    events.NOTE,
)


class Actions:
    """The actions of all people that were not undone."""

    def __init__(self) -> None:
        self._by_number: dict[int, Event] = {}
        self._stacks: dict[str, list[Event]] = defaultdict(list)

    def add(self, event: Event) -> None:
        """Add an action of a person."""
        self._by_number[event.number] = event
        if "imported" not in event.details:
            self._stacks[event.who].append(event)

    def last(self, who: str) -> Event | None:
        """Return the action that a person undoes first."""
        stack = self._stacks.get(who)
        return stack[-1] if stack else None

    def undo(self, event: Event) -> Event | None:
        """Remove the action that an event undoes, and return it; None if there is no such one."""
        undone = self._by_number.get(event.details["of"])
        if undone is None or undone.who != event.who:
            return None
        del self._by_number[undone.number]
        stack = self._stacks[undone.who]
        if stack and stack[-1] is undone:
            stack.pop()
        elif undone in stack:  # earlier versions undid decisions only
            stack.remove(undone)
        return undone
