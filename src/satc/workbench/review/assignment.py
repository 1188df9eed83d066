"""Which document a person gets next: one for a second opinion, an audited one, or the best left."""

from __future__ import annotations

from collections.abc import Collection

from satc.validation import Validation
from satc.workbench.model.record import Record
from satc.workbench.model.sampling import in_share
from satc.workbench.model.settings import Settings
from satc.workbench.model.shown import Source


class NextDocument:
    """Chooses the next document of a person; it takes and saves nothing."""

    def __init__(self, settings: Settings, validation: Validation, record: Record) -> None:
        self._settings = settings
        self._validation = validation
        self._record = record
        self._second_opinions: dict[int, None] = {}  # documents that need one, oldest first

    def replace_validation(self, larger: Validation) -> None:
        """Choose by another engine from now on."""
        self._validation = larger

    def change_settings(self, settings: Settings) -> None:
        """Choose by other settings from now on: another overlap needs other second opinions."""
        self._settings = settings
        self._second_opinions.clear()
        decided = sorted(self._record.current_decisions(), key=lambda decision: decision.number)
        for decision in decided:
            self.update(decision.document)

    def update(self, document: int) -> None:
        """Update the queue of second opinions after an event on a document."""
        settings, record = self._settings, self._record
        self._second_opinions.pop(document, None)
        if (
            record.current_decision(document) is not None
            and not record.second_opinions.get(document)
            and in_share(document, settings.overlap, "overlap", settings.seed)
        ):
            self._second_opinions[document] = None

    def choose(self, who: str, busy: Collection[int]) -> tuple[int | None, Source]:
        """Return the next document, and why it is the next one.

        Documents that are `busy` are not chosen for a second opinion.
        """
        if (document := self._for_second_opinion(who, busy)) is not None:
            return document, "second"
        if (document := self._for_audit(who)) is not None:
            return document, "audit"
        document = self._best(who)
        return document, "audit" if document in self._record.undecided_draws else "ranked"

    def _for_second_opinion(self, who: str, busy: Collection[int]) -> int | None:
        for document in self._second_opinions:
            if document not in busy and not self._is_put_off(who, document):
                return document
        return None

    def _for_audit(self, who: str) -> int | None:
        """Return the first draw that is undecided and not open: a certificate waits for it."""
        undecided = self._record.undecided_draws
        for document in sorted(undecided, key=undecided.__getitem__):
            is_open = self._validation.is_taken(document)
            if not is_open and not self._record.is_skipped(who, document):
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
        """Whether a person has skipped a document recently, or has decided on it before."""
        return self._record.is_skipped(who, document) or self._record.has_decided(who, document)
