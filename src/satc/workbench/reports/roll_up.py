"""The hierarchy of a project in figures: each class together with the classes below it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.code_book import Hierarchy
from satc.code_book.unions import union_probabilities, unions
from satc.decisions import value_of_none
from satc.inputs import Labels, indicator
from satc.measures import evaluate, parse
from satc.workbench.model.record import Decision
from satc.workbench.store import Store
from satc.workbench.store.predictions import read_probabilities, read_training
from satc.workbench.store.projects import Project

Array = NDArray[np.float64]


class NodeLine(NamedTuple):
    """A class with those below it, or a heading: documents that have at least one of them.

    `checked` is the measure of the predictions on the checked documents, and `expected` that of
    all present labels under the probabilities; None where there is nothing to compute it from.
    """

    code: str
    name: str
    parents: tuple[str, ...]
    is_class: bool
    predicted: int
    validated: int
    removed: int
    added: int
    documents: int
    checked: float | None
    expected: float | None


def roll_up(
    store: Store, project: Project, current: list[Decision], decided: Labels
) -> tuple[NodeLine, ...]:
    """Return a line for each entry of the code book; none if it has no hierarchy."""
    book = project.book
    if book is None or not book.has_parents:
        return ()
    tree, documents = book.hierarchy, [one.document for one in current]
    predicted = unions(decided, tree)
    before = predicted[documents]
    now = unions(indicator([one.labels for one in current], range(len(project.classes))), tree)
    both, removed, added = (
        pairs.sum(axis=0) for pairs in (before & now, before & ~now, now & ~before)
    )
    seen, total = both + removed + added, predicted.sum(axis=0)
    checked = _measured(project, both, removed, added, len(current) - seen)
    expected = _expected(store, project, documents, predicted, now)
    return tuple(
        NodeLine(
            entry.code,
            entry.name,
            entry.parents,
            j < len(project.classes),
            int(total[j]),
            int(seen[j]),
            int(removed[j]),
            int(added[j]),
            int(total[j] - removed[j] + added[j]),
            float(checked[j]) if seen[j] else None,
            None if expected is None else float(expected[j]),
        )
        for j, entry in enumerate(book.entries)
    )


def _measured(project: Project, *cells: Any) -> Array:
    """Return the measure of the project for the cells of each node: TP, FP, FN, TN."""
    given = (np.asarray(one, dtype=np.float64) for one in cells)
    return np.asarray(evaluate(parse(project.settings.measure), *given))


def _expected(
    store: Store, project: Project, documents: list[int], predicted: Labels, now: Labels
) -> Array | None:
    """Return the expected measure of the present labels: those of checked documents are right.

    None if the probabilities are not those of the training documents, or not of all documents.
    """
    settings = project.settings
    if settings.stored is not None or read_training(store, project) is None:
        return None
    hierarchy: Hierarchy = project.book.hierarchy if project.book else Hierarchy([])
    q = union_probabilities(
        read_probabilities(store, project),
        hierarchy,
        closed=settings.closed,
        exclusive=settings.is_single_label,
    )
    present = predicted.copy()
    present[documents] = q[documents] = now
    right, missing = np.where(present, q, 0.0).sum(axis=0), np.where(present, 0.0, q).sum(axis=0)
    n_present = present.sum(axis=0)
    value = _measured(project, right, n_present - right, missing, len(q) - n_present - missing)
    for j in np.flatnonzero(n_present == 0):
        value[j] = value_of_none(q[:, j], parse(settings.measure))
    return value
