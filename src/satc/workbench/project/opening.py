"""Open a stored project: read its arrays, calibrate if it must be, and keep the first labels.

The probabilities are read if nothing has changed since they were stored (`stored_fit`).
A project of which no label was known at first has learnt from decisions. The log says from which
(`Record.learnt`), so the same probabilities are estimated from them again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.evidence import Evidence
from satc.inputs import indicator
from satc.ranking.cold_start import re_estimated
from satc.ranking.documents import RankedDocuments
from satc.ranking.methods import parse_method
from satc.ranking.options import SIGN
from satc.ranking.preparation import prepare
from satc.texts.source import training_arguments
from satc.validation import Validation
from satc.workbench.messages import Message
from satc.workbench.model.events import Learnt
from satc.workbench.project.fixed_labels import with_labels
from satc.workbench.project.history import History
from satc.workbench.project.larger_set import as_part_of
from satc.workbench.project.new_project.computing import ranking_arguments
from satc.workbench.project.stored_fit import StoredFit
from satc.workbench.store import Store
from satc.workbench.store.predictions import (
    read_decided,
    read_features,
    read_minutes,
    read_opinions,
    read_probabilities,
    read_scores,
    read_training,
)
from satc.workbench.store.projects import Project

Report = Callable[[Message], None]  # called with the step that begins


def no_report(step: Message) -> None:
    """Tell nobody."""


def open_validation(
    store: Store, project: Project, history: History, report: Report = no_report
) -> Validation:
    """Return the engine of a project, with nothing submitted; `report` is told each step."""
    documents = open_documents(store, project, history, report=report)
    report(Message("server.opening_ranking"))
    return Validation.of(documents)


def open_documents(
    store: Store,
    project: Project,
    history: History,
    learnt: Learnt | None = None,
    report: Report = no_report,
) -> RankedDocuments:
    """Return the documents of a project, under the estimates that it has now.

    With `learnt`, they are estimated from the decisions that it names. `report` is told each step.
    """
    report(Message("server.opening_reading", n=project.n_documents))
    scores = read_scores(store, project)
    minutes = read_minutes(store, project)
    options = ranking_arguments(project.settings, minutes, project.hierarchy)
    origin = project.settings.stored
    if origin is not None:
        options["decide"] = SIGN  # at first: the cuts are those of the larger set
    training = _training(store, project)
    report(Message("server.opening_fitting"))
    fit = StoredFit.of(store, project.key)
    documents = prepare(scores, calibrate=fit, **training, **options)
    fit.put_if_possible(store, project.key)
    if origin is not None:
        documents = as_part_of(origin, documents, store, project)
    labels = read_decided(store, project)
    documents = with_labels(documents, labels, is_part=origin is not None)
    fit.forget()
    learnt = learnt or history.record.learnt
    if learnt is None:
        return documents
    report(Message("server.opening_learning", n=learnt.n_decisions))
    return re_estimated(documents, decisions_after(project, history, learnt.after), labels)


def is_cold(store: Store, project: Project) -> bool:
    """Whether no label was known when the project was made, so that it learns from decisions."""
    uses_context = parse_method(project.settings.method).probability == "context"
    return uses_context and read_training(store, project) is None


def decisions_after(
    project: Project, history: History, number: int
) -> list[tuple[int, NDArray[np.bool_]]]:
    """Return the documents that were decided after the event of this number, with their labels."""
    classes = range(len(project.classes))
    return [
        (decision.document, indicator([decision.labels], classes)[0])
        for decision in history.decisions_after(number)
    ]


def present_probabilities(store: Store, project: Project, history: History) -> NDArray[Any]:
    """Return P(document belongs to class), as it was learnt the last time, or as it was stored."""
    if history.record.learnt is None:
        return read_probabilities(store, project)
    return open_documents(store, project, history).probability()


def _training(store: Store, project: Project) -> dict[str, Any]:
    features, opinions = read_features(store, project), read_opinions(store, project)
    if opinions:
        features = Evidence(features, opinions)
    return training_arguments(read_training(store, project), features)
