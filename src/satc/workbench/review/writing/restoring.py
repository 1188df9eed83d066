"""Make the state in memory equal to the history that the store has, after a commit has failed."""

from __future__ import annotations

from satc.inputs import indicator
from satc.workbench.model.events import NO_DOCUMENT
from satc.workbench.model.record import Decision, Record
from satc.workbench.project.history import History
from satc.workbench.review.assignment import NextDocument
from satc.workbench.review.state import ProjectState
from satc.workbench.store.projects import Project


def restore(state: ProjectState, project: Project, history: History) -> None:
    """Replace the record by the stored one, and change what differs in the ranking."""
    before, after = _in_force(state.record), _in_force(history.record)
    changed = {i for i in before.keys() | after.keys() if _key(before, i) != _key(after, i)}
    for document in changed & before.keys():
        state.validation.undo(document)
    for decision in sorted((after[i] for i in changed & after.keys()), key=lambda one: one.number):
        labels = indicator([decision.labels], range(len(project.classes)))[0]
        state.validation.submit(decision.document, labels)
    state.change_project(project)
    state.record = history.record
    state.n_corrected = sum(one.labels != state.predicted(one.document) for one in after.values())
    state.next_document = NextDocument(project.settings, state.validation, history.record)
    for step in history.steps:
        if step.event.document != NO_DOCUMENT:
            state.next_document.update(step.event.document)
    state.changes += 1


def _in_force(record: Record) -> dict[int, Decision]:
    return {decision.document: decision for decision in record.current_decisions()}


def _key(decisions: dict[int, Decision], document: int) -> tuple[int, tuple[int, ...]] | None:
    """Return what tells a decision from another one on the same document."""
    found = decisions.get(document)
    return None if found is None else (found.number, found.labels)
