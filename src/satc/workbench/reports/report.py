"""The report: who did what, whether people agree, and how shown predictions influence them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.evaluation.agreement import Agreement, Judgement, agreement
from satc.inputs import indicator
from satc.workbench.model.audit import AuditCounts, audit_counts
from satc.workbench.model.events import DECIDE, SECOND
from satc.workbench.model.record import Decision, Record, is_copy
from satc.workbench.project.history import History
from satc.workbench.reports.roll_up import NodeLine, roll_up
from satc.workbench.reports.shares import ProjectShares, shares_for_report
from satc.workbench.store import Store
from satc.workbench.store.predictions import read_decided
from satc.workbench.store.projects import Project


class PersonLine(NamedTuple):
    """The decisions of one person."""

    name: str
    decisions: int
    corrected: int  # documents whose labels they changed
    hours: float | None
    seconds_per_document: float | None


class ClassLine(NamedTuple):
    """The labels of one class, and how people changed them."""

    name: str
    predicted: int
    validated: int  # validated documents with the label, predicted or decided
    removed: int  # predicted labels that people removed
    added: int  # labels that people added
    now: int


class ViewLine(NamedTuple):
    """Documents decided while predictions were shown, or while they were hidden."""

    documents: int
    corrected: int  # documents whose labels differ from the predicted ones
    labels_changed: int

    @property
    def share_corrected(self) -> float | None:
        """The share of documents that were corrected."""
        return self.corrected / self.documents if self.documents else None


@dataclass(frozen=True)
class Report:
    """The figures of a report."""

    project: Project
    n_validated: int
    n_corrected: int
    n_flagged: int
    people: tuple[PersonLine, ...]
    classes: tuple[ClassLine, ...]
    agreement: Agreement
    shown: ViewLine
    blind: ViewLine
    nodes: tuple[NodeLine, ...] = ()  # the hierarchy of the code book, if there is one
    shares: ProjectShares | None = None  # if the project can have any
    audit: AuditCounts | None = None  # if documents were drawn at random


def make_report(store: Store, project: Project, history: History) -> Report:
    """Return the report of a project as it is stored."""
    record = history.record
    decided = read_decided(store, project)
    current = record.current_decisions()
    first = [given[0] for given in record.decisions.values() if given and not is_copy(given[0])]
    return Report(
        project,
        len(current),
        sum(_changed(one, decided) > 0 for one in current),
        len(record.flagged),
        tuple(_people(record, decided)),
        tuple(_classes(project, current, decided)),
        agreement(
            _judgements(record, project),
            project.classes,
            single_label=project.settings.is_single_label,
        ),
        _view([one for one in first if not _is_blind(one)], decided),
        _view([one for one in first if _is_blind(one)], decided),
        roll_up(store, project, current, decided),
        shares_for_report(store, project, history),
        counts if (counts := audit_counts(record)).n_drawn else None,
    )


def _is_blind(decision: Decision) -> bool:
    shown = decision.shown
    return shown is not None and shown.is_blind


def _changed(decision: Decision, decided: NDArray[np.bool_]) -> int:
    """Count the labels in which a decision differs from the prediction."""
    predicted = set(np.flatnonzero(decided[decision.document]).tolist())
    return len(predicted ^ set(decision.labels))


def _people(record: Record, decided: NDArray[np.bool_]) -> Iterator[PersonLine]:
    own: dict[str, list[Decision]] = defaultdict(list)
    for given in (*record.decisions.values(), *record.second_opinions.values()):
        for decision in given:
            if decision.kind in (DECIDE, SECOND):
                own[decision.who].append(decision)
    for name, mine in sorted(own.items(), key=lambda item: (-len(item[1]), item[0])):
        times = [s for one in mine if (s := one.seconds) is not None]
        yield PersonLine(
            name,
            len(mine),
            sum(_changed(one, decided) > 0 for one in mine),
            sum(times) / 3600 if times else None,
            sum(times) / len(times) if times else None,
        )


def _classes(
    project: Project, current: list[Decision], decided: NDArray[np.bool_]
) -> Iterator[ClassLine]:
    now = indicator([decision.labels for decision in current], range(len(project.classes)))
    before = decided[[decision.document for decision in current]]
    predicted = decided.sum(axis=0)
    removed, added = (before & ~now).sum(axis=0), (now & ~before).sum(axis=0)
    seen = (before | now).sum(axis=0)
    for j, name in enumerate(project.names):
        counts = (predicted[j], seen[j], removed[j], added[j], predicted[j] - removed[j] + added[j])
        yield ClassLine(name, *map(int, counts))


def _judgements(record: Record, project: Project) -> Iterator[Judgement]:
    for document, given in record.second_opinions.items():
        decisions = record.decisions.get(document)
        if decisions:
            for one in (decisions[0], *given):
                yield Judgement(str(document), one.who, [project.classes[j] for j in one.labels])


def _view(decisions: list[Decision], decided: NDArray[np.bool_]) -> ViewLine:
    changed = [_changed(one, decided) for one in decisions]
    return ViewLine(len(changed), sum(count > 0 for count in changed), sum(changed))
