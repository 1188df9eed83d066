"""All documents of a project with their labels at this moment, from what is saved alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np

from satc.files.exchange.record import Record as Exported
from satc.workbench.model.record import Record
from satc.workbench.store import Store
from satc.workbench.store.documents import StoredDocument, iter_documents
from satc.workbench.store.events import read_events
from satc.workbench.store.predictions import read_probabilities, read_scores
from satc.workbench.store.projects import Project

_LEAST_LIKELY = 0.1  # labels less probable than that are not exported as suggestions


def replay(store: Store, project: Project) -> Record:
    """Return what the saved events amount to."""
    record = Record()
    for event in read_events(store, project.key):
        record.apply(event)
    return record


def records(store: Store, project: Project) -> Iterator[Exported]:
    """Go through the documents in their order, with their labels."""
    record = replay(store, project)
    decided = read_scores(store, project) >= 0
    probability = read_probabilities(store, project)
    for document in iter_documents(store, project.key):
        i = document.position
        yield _exported(project, document, record, decided[i], probability[i])


def _exported(
    project: Project, document: StoredDocument, record: Record, decided: Any, probability: Any
) -> Exported:
    i = document.position
    predicted = np.flatnonzero(decided).tolist()
    standing = record.standing(i)
    likely = np.flatnonzero(decided | (probability >= _LEAST_LIKELY)).tolist()
    names = project.classes
    return Exported(
        id=document.id,
        text=document.text,
        columns=document.columns,
        predicted=tuple(names[j] for j in predicted),
        probabilities={names[j]: float(probability[j]) for j in likely},
        labels=tuple(names[j] for j in (predicted if standing is None else standing.labels)),
        source="automatic" if standing is None else "human",
        rank=document.rank,
        who=None if standing is None else standing.who,
        when=None if standing is None else datetime.fromisoformat(standing.at),
        flagged=i in record.flagged,
        note=record.notes.get(i, ""),
    )
