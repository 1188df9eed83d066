"""Read labelled documents, and find their task."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from satc.errors import DataError, SatcWarning
from satc.files import Documents, read_documents
from satc.files.documents import LABEL, LABELS
from satc.files.labels.suggestion import suggest_label_columns
from satc.files.tasks import find_task
from satc.inputs import Labels, indicator
from satc.texts.learner_source import LearnerSource


class LabelledDocuments(NamedTuple):
    """Labelled documents.

    Attributes
    ----------
    documents
        The documents; those without a label have the class that the user named for them, if any.
    labels
        Their labels as a matrix, documents x classes.
    task
        "single-label" if each has exactly one label.
    """

    documents: Documents
    labels: Labels
    task: str


def read_labelled(source: LearnerSource) -> LabelledDocuments:
    """Read the labelled documents of a source, and find their task."""
    columns, wanted = source.columns.as_dict(), source.wanted
    labelled = read_documents(source.train, **columns).with_none_class(wanted.none_class)
    _check(source, labelled)
    _warn_of_unused(source, labelled)
    labels = indicator(labelled.labels or (), labelled.classes)
    task = find_task(source.train, labels, wanted.task, wanted.none_class, **columns)
    return LabelledDocuments(labelled, labels, task)


def _check(source: LearnerSource, labelled: Documents) -> None:
    if labelled.labels is None:
        name = source.columns.labels_column
        names = f"{LABELS!r} or {LABEL!r}" if name == LABELS else repr(name)
        raise DataError(
            f"{source.train} must have the column {names}, but has none"
            f"{suggest_label_columns(labelled.extra)}"
        )
    if not labelled.classes:
        raise DataError(f"{source.train} must hold at least one label, but holds none")
    if len(labelled) < source.folds:
        raise DataError(
            f"{source.train} must hold at least {source.folds} documents, one for each fold, "
            f"but holds {len(labelled)}"
        )


def _warn_of_unused(source: LearnerSource, labelled: Documents) -> None:
    """Name the label columns that no document has: there is nothing to learn about them."""
    known = set(labelled.classes)
    if unused := [name for name in labelled.label_columns if name not in known]:
        columns = "columns" if len(unused) > 1 else "column"
        warnings.warn(
            f"{source.train}: no document has a yes in the {columns} "
            f"{', '.join(map(repr, unused))}, so there is no such class",
            SatcWarning,
            stacklevel=2,
        )
