"""Complete labels where a label implies its ancestors, and say what was completed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from satc.code_book import CodeBook
from satc.errors import DataError
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, indicator
from satc.texts.labelled import LabelledDocuments
from satc.training import Training


class Completed(NamedTuple):
    """Labelled documents, and how many of them got further labels."""

    labelled: LabelledDocuments
    n_completed: int


def refuse_single(task: str, what: str = "--closed") -> None:
    """Refuse closed labels in a task in which every document has exactly one."""
    if task == SINGLE_LABEL:
        raise DataError(
            f"{what} needs a task with any number of labels: a label implies its parents, so it is "
            "not the only one; --multi-label says that documents can have several"
        )


def complete(labelled: LabelledDocuments, book: CodeBook) -> Completed:
    """Add the ancestors of the labels, which are then classes as well."""
    refuse_single(labelled.task)
    before = labelled.documents.labels or ()
    above = _ancestors(book)
    after = tuple(_with_ancestors(names, above) for names in before)
    documents = replace(labelled.documents, labels=after)
    n_completed = sum(len(a) > len(b) for a, b in zip(after, before, strict=True))
    labels = indicator(after, documents.classes)
    return Completed(LabelledDocuments(documents, labels, MULTI_LABEL), n_completed)


def count_completed(training: Training, book: CodeBook) -> int:
    """Count the training documents whose labels lack a parent.

    `book` has the classes of the training documents, in their order, at its beginning.
    """
    closed = book.class_hierarchy(training.n_classes).close(training.labels)
    return int((closed != training.labels).any(axis=1).sum())


def _ancestors(book: CodeBook) -> dict[str, tuple[str, ...]]:
    hierarchy, codes = book.hierarchy, book.codes
    return {code: tuple(codes[k] for k in hierarchy.ancestors(j)) for j, code in enumerate(codes)}


def _with_ancestors(names: Sequence[str], above: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return labels with their ancestors behind them, each once."""
    implied = (code for name in names for code in above[name])
    return tuple(dict.fromkeys((*names, *implied)))
