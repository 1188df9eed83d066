"""The state of an open project: its record and the ranking of its documents, event by event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import indicator
from satc.validation import Validation
from satc.workbench.model.clock import now
from satc.workbench.model.events import NO_DOCUMENT, Event, Learnt
from satc.workbench.model.label_count import label_count_error
from satc.workbench.model.record import Decision, Step
from satc.workbench.project.history import History
from satc.workbench.review.assignment import NextDocument
from satc.workbench.store.projects import Project


class ProjectState:
    """The state of an open project; it is a function of the events.

    Parameters
    ----------
    project
        The project as it is stored.
    validation
        The engine, with nothing submitted yet.
    history
        The events so far. The state goes on with its record.
    """

    def __init__(self, project: Project, validation: Validation, history: History) -> None:
        self.project = project
        self.validation = validation
        self.record = history.record
        self.learnt = history.record.learnt  # where the estimates of the engine come from
        self.next_document = NextDocument(project.settings, validation, history.record)
        outcome = history.outcome()
        self.changes = outcome.n_changes  # how often the current decision on any document changed
        self.n_corrected = 0  # documents whose labels differ from the predicted ones
        self.on_change: Callable[[int], None] = _nothing  # called with the document of an event
        self._submit_all(outcome.decisions)
        for document in outcome.documents:
            self.next_document.update(document)

    def new_event(
        self,
        who: str,
        kind: str,
        document: int,
        labels: Sequence[int] | None = None,
        lease: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> Event:
        """Return an event that happens now; refuse documents and labels that do not exist."""
        chosen = None if labels is None else tuple(sorted(set(labels)))
        n_classes = len(self.project.classes)
        if chosen and not (chosen[0] >= 0 and chosen[-1] < n_classes):
            raise ValueError(f"labels must be classes, 0 to {n_classes - 1}, but are {chosen}")
        if chosen is not None:
            chosen = self.project.completed(chosen)
        if chosen is not None and (error := label_count_error(self.project.settings.task, chosen)):
            raise ValueError(error)
        if not 0 <= document < self.project.n_documents:
            last = self.project.n_documents - 1
            raise ValueError(f"document must be from 0 to {last}, but is {document}")
        return Event(0, now(), who, kind, document, chosen, lease, details or {})

    def apply(self, event: Event) -> None:
        """Update the record, the ranking and the queue of second opinions by a saved event."""
        self._follow(self.record.apply(event))

    def _submit_all(self, decisions: Sequence[Decision]) -> None:
        """Submit the decisions in force at once, in their order."""
        documents = [decision.document for decision in decisions]
        if not documents:
            return
        labels = self._vectors([decision.labels for decision in decisions])
        self.validation.submit_all(documents, labels)
        corrected = (labels != self.validation.documents.decided[documents]).any(axis=1)
        self.n_corrected = int(np.count_nonzero(corrected))

    def _follow(self, step: Step) -> None:
        """Update the ranking and the queue after the record has changed."""
        document, before, after = step.event.document, step.before, step.after
        if document == NO_DOCUMENT:
            return
        if before is not after:
            if before is not None:
                self.validation.undo(document)
                self.n_corrected -= before.labels != self.predicted(document)
            if after is not None:
                self.validation.submit(document, self._vectors([after.labels])[0])
                self.n_corrected += after.labels != self.predicted(document)
            self.changes += 1
        self.next_document.update(document)
        self.on_change(document)

    def exchange_validation(self, other: Validation, learnt: Learnt) -> None:
        """Go on with an engine of the same documents that has learnt from decisions."""
        other.catch_up(self.validation)
        self.validation = other
        self.learnt = learnt
        self.next_document.replace_validation(other)
        self.changes += 1

    def replace_validation(self, larger: Validation) -> None:
        """Go on with an engine that has more documents; the first ones are those of the old."""
        larger.catch_up(self.validation)
        self.validation = larger
        self.next_document.replace_validation(larger)
        self.project = replace(self.project, n_documents=larger.n_documents)
        self.changes += 1

    def change_project(self, project: Project) -> None:
        """Go on with other settings or another code book, which are saved already."""
        self.project = replace(project, n_documents=self.project.n_documents)
        self.next_document.change_settings(project.settings)

    def predicted(self, document: int) -> tuple[int, ...]:
        """Return the labels that a document had before anyone read it."""
        return tuple(np.flatnonzero(self.validation.documents.decided_on(document)).tolist())

    def n_since_correction(self) -> int:
        """Count the documents validated since the last one that needed a correction."""
        documents = self.validation.documents
        count = 0
        for document, labels in self.validation.latest_decisions():
            if (labels != documents.decided_on(document)).any():
                break
            count += 1
        return count

    def _vectors(self, labels: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
        return indicator(labels, range(len(self.project.classes)))


def _nothing(document: int) -> None:
    """Do nothing."""
