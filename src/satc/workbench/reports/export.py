"""Export: all documents of a project with their current labels, as they are stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from satc.files.exchange import AnswerColumns, ClassColumns
from satc.files.exchange import ExportedDocument as Exported
from satc.files.labels.shapes import Shape, check_answer_pattern, named_classes
from satc.ranking.options import SIGN
from satc.workbench.model.record import Record
from satc.workbench.project.history import History
from satc.workbench.project.opening import present_probabilities
from satc.workbench.store import Store
from satc.workbench.store.documents import StoredDocument, iter_documents
from satc.workbench.store.predictions import read_decided, read_own_labels
from satc.workbench.store.projects import Project

_LEAST_LIKELY = 0.1  # less probable labels are not exported
NAMES = "satc_label_names"
_BETWEEN = " | "


def exported_documents(
    store: Store, project: Project, history: History, *, names: bool = False
) -> Iterator[Exported]:
    """Iterate over all documents by position, with their current labels, which are codes.

    With `names`, a further column has the names of the labels, for people.
    """
    decided = read_decided(store, project)
    probability = present_probabilities(store, project, history)
    classifier = _classifier_labels(store, project)
    for document in iter_documents(store, project.key):
        i = document.position
        own = None if classifier is None else _names(project, classifier[i])
        done = _exported(project, document, history.record, decided[i], probability[i], own)
        yield _with_names(done, project) if names else done


def _with_names(document: Exported, project: Project) -> Exported:
    """Add the names of the labels as a column, joined, because names may hold any separator."""
    name = dict(zip(project.classes, project.names, strict=True))
    text = _BETWEEN.join(name[code] for code in document.labels)
    return replace(document, columns={**document.columns, NAMES: text})


def label_shape(
    store: Store,
    project: Project,
    history: History,
    label_columns: str | None = None,
    labels_column: str | None = None,
) -> Shape | None:
    """Return the shape of the labels that the options of `satc export` ask for, if any."""
    if label_columns is not None:
        return ClassColumns(named_classes(project.classes, label_columns))
    if labels_column is None:
        return None
    pattern = check_answer_pattern(labels_column)
    return AnswerColumns(pattern, _most_labels(store, project, history.record))


def _most_labels(store: Store, project: Project, record: Record) -> int:
    """Return the largest number of labels that a document has now."""
    counts = read_decided(store, project).sum(axis=1)
    for current in record.current_decisions():
        counts[current.document] = len(current.labels)
    return int(counts.max(initial=1))


def _classifier_labels(store: Store, project: Project) -> Any:
    """Return the classifier's own labels; None where they are the ones that were decided on."""
    if project.settings.decide == SIGN and not project.settings.closed:
        return None
    return read_own_labels(store, project)


def _exported(
    project: Project,
    document: StoredDocument,
    record: Record,
    decided: Any,
    probability: Any,
    classifier_labels: tuple[str, ...] | None,
) -> Exported:
    i = document.position
    predicted = _names(project, decided)
    current = record.current_decision(i)
    likely = np.flatnonzero(decided | (probability >= _LEAST_LIKELY)).tolist()
    names = project.classes
    return Exported(
        id=document.id,
        text=document.text,
        columns=document.columns,
        predicted=predicted,
        probabilities={names[j]: float(probability[j]) for j in likely},
        labels=predicted if current is None else tuple(names[j] for j in current.labels),
        source="automatic" if current is None else "human",
        rank=document.rank,
        who=None if current is None else current.who,
        when=None if current is None else datetime.fromisoformat(current.at),
        flagged=i in record.flagged,
        note=record.notes.get(i, ""),
        classifier_labels=classifier_labels,
        place=None if document.rank is None else (document.rank - 1) / project.n_documents,
    )


def _names(project: Project, labels: Any) -> tuple[str, ...]:
    return tuple(project.classes[j] for j in np.flatnonzero(labels).tolist())
