"""Which document is for whom: a second opinion that is wanted, an audit, or the best one left."""

from __future__ import annotations

from collections.abc import Collection

from satc.validation import Validation
from satc.workbench.model.record import Record
from satc.workbench.model.sampling import belongs
from satc.workbench.model.settings import Settings


class Choice:
    """Chooses the next document of a person; nothing is taken or saved here."""

    def __init__(self, settings: Settings, validation: Validation, record: Record) -> None:
        self._settings = settings
        self._validation = validation
        self._record = record
        self._wanted: dict[int, None] = {}  # documents that want a second opinion, oldest first

    def renew(self, validation: Validation) -> None:
        """Choose among more documents from now on."""
        self._validation = validation

    def follow(self, document: int) -> None:
        """Learn that something has happened to a document."""
        settings, record = self._settings, self._record
        self._wanted.pop(document, None)
        if (
            record.standing(document) is not None
            and not record.opinions.get(document)
            and belongs(document, settings.overlap, "overlap", settings.seed)
        ):
            self._wanted[document] = None

    def choose(self, who: str, busy: Collection[int]) -> tuple[int | None, str]:
        """Return the next document, and why it is: second, audit or ranked.

        Documents that are `busy` are no candidates for a second opinion.
        """
        if (document := self._second(who, busy)) is not None:
            return document, "second"
        if (document := self._audit(who)) is not None:
            return document, "audit"
        return self._best(who), "ranked"

    def _second(self, who: str, busy: Collection[int]) -> int | None:
        for document in self._wanted:
            if document not in busy and not self._is_put_off(who, document):
                return document
        return None

    def _audit(self, who: str) -> int | None:
        """Return a document that was drawn for the audit and is with nobody."""
        for document in reversed(self._record.audited):
            undecided = self._record.standing(document) is None
            elsewhere = self._validation.is_taken(document)
            if undecided and not elsewhere and not self._record.is_skipped(who, document):
                return document
        return None

    def _best(self, who: str) -> int | None:
        """Return the best document that this person has not put off."""
        put_off: list[int] = []
        found = None
        while (document := self._validation.next()) is not None:
            if not self._is_put_off(who, document):
                found = document
                break
            put_off.append(document)
            self._validation.take(document)
        for other in put_off:
            self._validation.give_back(other)
        if found is None and put_off:
            return put_off[0]  # nothing else is left, so the first one comes back now
        return found

    def _is_put_off(self, who: str, document: int) -> bool:
        """Whether a person has skipped a document lately, or has given an opinion on it."""
        return self._record.is_skipped(who, document) or self._record.has_seen(who, document)
