"""The documents that people have open, each with a lease.

Nobody else gets a leased document until it is decided, given back, or its lease has expired. An
expired lease stays valid until somebody else gets the document: until then a late decision counts
like any other.

The end of a lease is stored as a time of the clock. A clock can be set forward and back, so in this
process a lease ends by a monotonic clock, and never later than its usual length from the moment at
which it was opened, renewed or read from the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from time import monotonic

from satc.errors import SatcError
from satc.workbench.messages import Message
from satc.workbench.model.clock import later, seconds_until
from satc.workbench.model.shown import Source
from satc.workbench.review.state import ProjectState
from satc.workbench.store.leases import Lease

NOT_YOURS = Message("server.not_yours")
NOT_OPEN = Message("manage.lease_is_closed")


class ConflictError(SatcError):
    """A request that does not fit what this person or others have done in the meantime."""


class OpenLeases:
    """All leases of a project; documents leased for a first decision are taken in the ranking."""

    def __init__(self, state: ProjectState) -> None:
        self._state = state
        self._leases: dict[str, Lease] = {}
        self._ends: dict[str, float] = {}  # of leases, by the monotonic clock
        self._assigned: set[str] = set()  # leases that their people have not seen yet

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._leases.values()))

    def of(self, who: str) -> list[Lease]:
        """Return the leases of a person, the oldest first."""
        return [lease for lease in self if lease.who == who]

    def seconds_left(self, lease: Lease) -> float:
        """Return how long a lease lasts from now; a negative number if it has expired."""
        return self._ends.get(lease.lease, 0.0) - monotonic()

    def has_expired(self, lease: Lease) -> bool:
        """Whether the document of a lease may be given to somebody else."""
        return self.seconds_left(lease) < 0

    def unexpired(self) -> list[Lease]:
        """Return the leases that have not expired."""
        return [lease for lease in self if not self.has_expired(lease)]

    def n_open(self) -> int:
        """Count the leases that have not expired."""
        return len(self.unexpired())

    def busy(self, who: str) -> set[int]:
        """Return the documents that anybody reads now, or that this person has open."""
        return {held.document for held in (*self.unexpired(), *self.of(who))}

    def is_second_reader(self, who: str, document: int) -> bool:
        """Whether a person has a document open for a second opinion, and may not see the first."""
        return any(
            held.document == document and held.shown.is_second_opinion for held in self.of(who)
        )

    def reader(self, document: int, source: Source) -> str | None:
        """Return who has a document open now, for a first or for a second reading."""
        is_second = source == "second"
        readers = (
            held.who
            for held in self.unexpired()
            if held.document == document and held.shown.is_second_opinion == is_second
        )
        return next(readers, None)

    def source_of(self, document: int, who: str) -> Source:
        """Return why a person has a document open; "chosen" if they only look at it."""
        mine = (held.shown.source for held in self.of(who) if held.document == document)
        return next(mine, "chosen")

    def held(self, lease: str, who: str) -> Lease:
        """Return a person's lease by its id.

        Raises
        ------
        ConflictError
            If the person does not have this lease, or no longer.
        """
        held = self._leases.get(lease)
        if held is None or held.who != who:
            raise ConflictError(NOT_YOURS)
        return held

    def find(self, lease: str) -> Lease:
        """Return anybody's lease by its id; raise a ConflictError if there is none."""
        held = self._leases.get(lease)
        if held is None:
            raise ConflictError(NOT_OPEN)
        return held

    def assign(self, lease: Lease) -> None:
        """Note that a person got a lease without asking: it is their next document."""
        self._assigned.add(lease.lease)

    def next_assigned(self, who: str) -> Lease | None:
        """Return a lease that was assigned to a person and that they have not seen yet."""
        return next((held for held in self.of(who) if held.lease in self._assigned), None)

    def mark_seen(self, leases: Iterable[Lease]) -> None:
        """Note that people have seen leases that were assigned to them."""
        self._assigned.difference_update(held.lease for held in leases)

    @property
    def assigned(self) -> frozenset[str]:
        """The leases that were assigned to people who have not seen them yet."""
        return frozenset(self._assigned)

    def take(self, lease: Lease) -> None:
        """Take the document of a lease for a first decision from the ranking, if it is there."""
        if self._is_first(lease) and not self._is_taken(lease):
            self._state.validation.take(lease.document)

    def give_back(self, lease: Lease) -> None:
        """Return the document of a lease for a first decision to the ranking, if it was taken."""
        if self._is_first(lease) and self._is_taken(lease):
            self._state.validation.give_back(lease.document)

    def put(self, lease: Lease) -> None:
        """Add a lease, or replace the one with the same id."""
        self._leases[lease.lease] = lease
        self._ends[lease.lease] = monotonic() + min(seconds_until(lease.expires_at), self._longest)

    def drop(self, lease: str) -> None:
        """Remove a lease whose document went to somebody else."""
        self._leases.pop(lease, None)
        self._ends.pop(lease, None)

    def close(self, lease: str) -> None:
        """Remove a lease; its document returns to the ranking unless it is decided."""
        if (held := self._leases.get(lease)) is not None:
            self.drop(lease)
            self.give_back(held)

    def release_expired(self) -> list[Lease]:
        """Return the documents of expired leases to the ranking; the leases stay valid."""
        expired = [lease for lease in self if self.has_expired(lease)]
        for lease in expired:
            self.give_back(lease)
        return expired

    def reload(self, leases: Iterable[Lease], assigned: Iterable[str] = ()) -> None:
        """Replace all leases by those that are stored; `assigned` are not seen yet."""
        for held in self:
            self.close(held.lease)
        for lease in leases:
            self.put(self._not_too_long(lease))
            self.take(lease)
        self._assigned = {lease for lease in assigned if lease in self._leases}

    @property
    def _longest(self) -> int:
        return self._state.project.settings.lease_seconds

    def _not_too_long(self, lease: Lease) -> Lease:
        """Return a stored lease; it was opened while the clock was ahead if it is too long."""
        if seconds_until(lease.expires_at) <= self._longest:
            return lease
        return replace(lease, expires_at=later(self._longest))

    def _is_first(self, lease: Lease) -> bool:
        """Whether the lease is for a first decision that is still to be made."""
        undecided = self._state.record.current_decision(lease.document) is None
        return undecided and not lease.shown.is_second_opinion

    def _is_taken(self, lease: Lease) -> bool:
        return self._state.validation.is_taken(lease.document)
