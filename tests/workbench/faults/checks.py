"""What must hold after the faults: nothing acknowledged is lost, nothing counts twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from faults.people import Given, Person
from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.model.record import Record

DECISIONS = (events.DECIDE, events.SECOND)


def check_log(log: Sequence[Event], people: Iterable[Person]) -> None:
    """Compare the log with what people were told."""
    by_number = {event.number: event for event in log}
    texts = {(event.document, event.details.get("note")) for event in log}
    undone = Counter(event.who for event in log if event.kind == events.UNDO)
    for person in people:
        notes = person.notes
        assert notes.wrong == []
        for given in notes.given:
            _check_decision(given, by_number, person.name, DECISIONS)
        for given in notes.revised:
            _check_decision(given, by_number, person.name, (events.REVISE,))
        assert set(notes.notes) <= texts, "a note is lost"
        assert notes.undone <= undone[person.name] <= notes.undone + notes.undone_perhaps
    check_nothing_counts_twice(log)


def _check_decision(
    given: Given, by_number: dict[int, Event], who: str, kinds: tuple[str, ...]
) -> None:
    event = by_number.get(given.number)
    assert event is not None, f"{given} of {who} is lost"
    assert (event.who, event.document, event.labels) == (who, given.document, given.labels)
    assert event.kind in kinds


def check_nothing_counts_twice(log: Sequence[Event]) -> None:
    """Every lease has at most one decision, and no document is decided while it is decided."""
    leases = Counter(event.lease for event in log if event.lease is not None)
    assert [lease for lease, n in leases.items() if n > 1] == []
    record = Record()
    for event in log:
        is_decided = record.current_decision(event.document) is not None
        assert not (event.kind == events.DECIDE and is_decided), f"{event} counts twice"
        record.apply(event)


def check_backup(copy: Sequence[Event], log: Sequence[Event], last_before: int) -> None:
    """A backup has the beginning of the log, with everything acknowledged before it was begun."""
    assert list(copy) == list(log[: len(copy)]), "the backup is not a prefix of the log"
    assert copy, "the backup is empty"
    assert copy[-1].number >= last_before, "the backup lacks what was acknowledged before it"
