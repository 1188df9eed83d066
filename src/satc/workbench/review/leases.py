"""The documents that people have open, each with a lease.

Nobody else gets a leased document until it is decided, given back, or its lease has expired. An
expired lease stays valid until somebody else gets the document: until then a late decision counts
like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from satc.errors import SatcError
from satc.workbench.model.clock import now
from satc.workbench.review.state import ProjectState
from satc.workbench.store.leases import Lease

NOT_YOURS = (
    "this document is no longer yours: your time for it ended and it went to somebody else, "
    "or somebody has decided on it"
)


class ConflictError(SatcError):
    """A request that does not fit what this person or others have done in the meantime."""


class OpenLeases:
    """All leases of a project; documents leased for a first decision are taken in the ranking."""

    def __init__(self, state: ProjectState) -> None:
        self._state = state
        self._leases: dict[str, Lease] = {}

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._leases.values()))

    def of(self, who: str) -> list[Lease]:
        """Return the leases of a person, the oldest first."""
        return [lease for lease in self if lease.who == who]

    def n_open(self) -> int:
        """Count the leases that have not expired."""
        present = now()
        return sum(lease.expires_at >= present for lease in self)

    def busy(self, who: str) -> set[int]:
        """Return the documents that anybody reads now, or that this person has open."""
        present = now()
        return {held.document for held in self if held.expires_at >= present or held.who == who}

    def is_second_reader(self, who: str, document: int) -> bool:
        """Whether a person has a document open for a second opinion, and may not see the first."""
        return any(
            held.document == document and held.shown.is_second_opinion for held in self.of(who)
        )

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

    def drop(self, lease: str) -> None:
        """Remove a lease whose document went to somebody else."""
        self._leases.pop(lease, None)

    def close(self, lease: str) -> None:
        """Remove a lease; its document returns to the ranking unless it is decided."""
        if (held := self._leases.pop(lease, None)) is not None:
            self.give_back(held)

    def release_expired(self) -> list[Lease]:
        """Return the documents of expired leases to the ranking; the leases stay valid."""
        present = now()
        expired = [lease for lease in self if lease.expires_at < present]
        for lease in expired:
            self.give_back(lease)
        return expired

    def reload(self, leases: Iterable[Lease]) -> None:
        """Replace all leases by those that are stored."""
        for held in self:
            self.close(held.lease)
        for lease in leases:
            self.put(lease)
            self.take(lease)

    def _is_first(self, lease: Lease) -> bool:
        """Whether the lease is for a first decision that is still to be made."""
        undecided = self._state.record.current_decision(lease.document) is None
        return undecided and not lease.shown.is_second_opinion

    def _is_taken(self, lease: Lease) -> bool:
        return self._state.validation.is_taken(lease.document)
