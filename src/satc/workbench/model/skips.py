"""Documents that people skipped: each comes back after some further decisions of the person."""

from __future__ import annotations

from collections import defaultdict

from satc.workbench.model.events import Event

SKIPPED_FOR = 20  # decisions that a person makes before a document they skipped comes back


class Skips:
    """The skips that were not undone, by person and document."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)

    def add(self, event: Event, n_decisions: int) -> None:
        """Skip a document when the person has made so many decisions."""
        self._ends[event.who, event.document][event.number] = n_decisions + SKIPPED_FOR

    def undo(self, event: Event) -> None:
        """Undo a skip."""
        self._ends[event.who, event.document].pop(event.number, None)

    def documents(self) -> set[int]:
        """Return the documents that anybody has skipped."""
        return {document for (_, document), ends in self._ends.items() if ends}

    def is_skipped(self, who: str, document: int, n_decisions: int) -> bool:
        """Whether a document is skipped when the person has made so many decisions."""
        ends = self._ends.get((who, document))
        return n_decisions < next(reversed(ends.values()), 0) if ends else False
