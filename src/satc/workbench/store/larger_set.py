"""Data about the larger set, for a project that holds a part of it.

The contingency tables of the whole set, from which gains come; the cuts (or the rule, in a
single-label task) by which its labels were chosen; for every fetch, a bound on the utility of the
documents that were not fetched; and the sums over the whole set that an estimate of accuracy needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import DocumentSums
from satc.assurance.live.shifts import N_REGIONS, SHIFTS, ShiftedSums
from satc.contingency import ContingencyTables
from satc.decisions import OneLabelRule
from satc.gains import Gains
from satc.ranking.unfetched import UnfetchedBound
from satc.workbench.model.subset_origin import SubsetOrigin
from satc.workbench.store import arrays
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.projects import Project


def put_tables(connection: Transaction, project: int, tables: ContingencyTables | None) -> None:
    """Save the tables of the whole set; `baseline` has none."""
    if tables is not None:
        arrays.put(connection, project, "tables", 0, np.array(list(tables)))


def read_tables(store: Store, project: Project) -> ContingencyTables | None:
    """Return the saved tables of the whole set, or None."""
    cells = arrays.get_dense(store, project.key, "tables", (4, len(project.classes)))
    return None if cells is None else ContingencyTables(*cells)


def put_cuts(connection: Transaction, project: int, cuts: NDArray[np.float64] | None) -> None:
    """Save the cuts by which labels are chosen; there are none where the signs decide."""
    if cuts is not None:
        arrays.put(connection, project, "cuts", 0, cuts)


def read_cuts(store: Store, project: Project) -> NDArray[np.float64] | None:
    """Return the saved cuts, or None."""
    return arrays.get_dense(store, project.key, "cuts", (len(project.classes),))


def put_rule(connection: Transaction, project: int, rule: OneLabelRule | None) -> None:
    """Save the rule by which single labels are chosen; there is none where scores decide."""
    if rule is not None:
        arrays.put(connection, project, "rule", 0, np.array([rule.slope, rule.offset]))


def read_rule(store: Store, project: Project) -> OneLabelRule | None:
    """Return the saved rule, or None."""
    rows = arrays.get_dense(store, project.key, "rule", (2, len(project.classes)))
    return None if rows is None else OneLabelRule(*rows)


def put_bound(connection: Transaction, project: int, fetch: int, bound: UnfetchedBound) -> None:
    """Save the bound after a fetch; fetches are numbered from 0."""
    row = np.array([bound.utility, bound.largest_error, *bound.gains.fp, *bound.gains.fn])
    arrays.put(connection, project, "outside", fetch, row[np.newaxis])
    first = "" if bound.first is None else str(bound.first)
    arrays.put(connection, project, "outside_first", fetch, first.encode())


def read_bound(store: Store, project: Project, origin: SubsetOrigin) -> tuple[int, UnfetchedBound]:
    """Return how many fetches there were, and the bound after the last one."""
    rows = arrays.get_dense(store, project.key, "outside", (None, 2 + 2 * len(project.classes)))
    if rows is None or not len(rows):
        raise ValueError("the project is not part of a stored set")
    utility, largest, *gains = rows[-1].tolist()
    fp, fn = np.split(np.array(gains), 2)
    first = (arrays.get_bytes(store, project.key, "outside_first", len(rows) - 1) or b"").decode()
    best = origin.sort_key(first) if first else None
    return len(rows), UnfetchedBound(utility, Gains(fp, fn), largest, best)


def put_sums(connection: Transaction, project: int, whole: DocumentSums) -> None:
    """Save the sums over the whole set that an estimate of accuracy needs."""
    arrays.put(connection, project, "whole_expected", 0, whole.sums.expected)
    arrays.put(connection, project, "whole_variance", 0, whole.sums.variance)
    arrays.put(connection, project, "whole_decided", 0, np.append(whole.decided, whole.n_documents))


def read_sums(store: Store, project: Project) -> DocumentSums | None:
    """Return the saved sums, or None."""
    n_classes = len(project.classes)
    shape = (n_classes, N_REGIONS, len(SHIFTS))
    expected = arrays.get_dense(store, project.key, "whole_expected", shape)
    variance = arrays.get_dense(store, project.key, "whole_variance", shape)
    counts = arrays.get_dense(store, project.key, "whole_decided", (n_classes + 1,))
    if expected is None or variance is None or counts is None:
        return None
    sums = ShiftedSums(expected, variance, np.zeros_like(expected))
    return DocumentSums(sums, counts[:-1], int(counts[-1]))
