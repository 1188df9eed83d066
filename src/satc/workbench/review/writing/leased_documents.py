"""The documents that were leased last: read together, in the transaction that leases them.

A person who gets a document needs its text at once. One statement reads the texts of a whole group
of actions, so that nobody waits for a connection and a thread of their own.
"""

from __future__ import annotations

from satc.workbench.store import Transaction
from satc.workbench.store.documents import StoredDocument, documents_at

_MOST = 500  # documents
_MOST_CHARACTERS = 4_000_000  # of their texts together


class LeasedDocuments:
    """Documents of one project that are in memory; their ranks may be old."""

    def __init__(self, project: int) -> None:
        self._project = project
        self._needed: set[int] = set()
        self._known: dict[int, StoredDocument] = {}  # the one that was read first comes first
        self._n_characters = 0

    def find(self, position: int) -> StoredDocument | None:
        """Return a document if it is in memory."""
        return self._known.get(position)

    def need(self, position: int) -> None:
        """Note that a document is being leased; `read` reads it."""
        if position not in self._known:
            self._needed.add(position)

    def read(self, connection: Transaction) -> None:
        """Read the documents that are needed; those that were read long ago make room."""
        needed, self._needed = self._needed, set()
        for document in documents_at(connection, self._project, needed) if needed else ():
            self._known[document.position] = document
            self._n_characters += len(document.text)
        while len(self._known) > _MOST or self._n_characters > _MOST_CHARACTERS:
            oldest = self._known.pop(next(iter(self._known)))
            self._n_characters -= len(oldest.text)
