"""What is known of the set that a project holds a part of: its tables, and a bound for the rest.

Gains speak of the whole set, so its contingency tables are kept; `Outside` says what a document
that is not held can be worth at most. A look at the whole set replaces the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import DocumentSums
from satc.assurance.live.shifts import ShiftedSums
from satc.contingency import ContingencyTables
from satc.gains import Gains
from satc.ranking.setting import Setting
from satc.ranking.unfetched import Outside, places
from satc.workbench.model.subset_origin import StoredSet
from satc.workbench.store import Store, Transaction, arrays


@dataclass(frozen=True, eq=False)
class Whole:
    """The whole set, as it was seen when a project was made."""

    setting: Setting  # without documents
    outside: Outside
    stored: StoredSet


def ties(stored: StoredSet, ids: Sequence[str]) -> NDArray[np.int64]:
    """Return the places of ids in their order: among equals the smaller id comes first."""
    return places([stored.key(identity) for identity in ids])


def put_tables(connection: Transaction, project: int, tables: ContingencyTables | None) -> None:
    """Keep the tables of the whole set; `baseline` has none."""
    if tables is not None:
        arrays.put(connection, project, "tables", 0, np.array(list(tables)))


def put_outside(connection: Transaction, project: int, look: int, outside: Outside) -> None:
    """Keep what a look at the whole set, the first or a later one, has found."""
    row = np.array([outside.utility, outside.most, *outside.gains.fp, *outside.gains.fn])
    arrays.put(connection, project, "outside", look, row[np.newaxis])
    first = "" if outside.first is None else str(outside.first)
    arrays.put(connection, project, "outside_first", look, first.encode())


def read_outside(store: Store, project: int, stored: StoredSet) -> tuple[int, Outside]:
    """Return how many looks there were, and what the last one found."""
    rows = arrays.get_dense(store, project, "outside")
    if rows is None:
        raise ValueError("the project is not part of a stored set")
    utility, most, *gains = rows[-1].tolist()
    fp, fn = np.split(np.array(gains), 2)
    first = (arrays.get_bytes(store, project, "outside_first", len(rows) - 1) or b"").decode()
    return len(rows), Outside(utility, Gains(fp, fn), most, stored.key(first) if first else None)


def put_sums(connection: Transaction, project: int, whole: DocumentSums) -> None:
    """Keep what an estimate of accuracy sums over the whole set."""
    arrays.put(connection, project, "whole_expected", 0, whole.sums.expected)
    arrays.put(connection, project, "whole_variance", 0, whole.sums.variance)
    arrays.put(connection, project, "whole_decided", 0, np.append(whole.decided, whole.n_documents))


def read_sums(store: Store, project: int) -> DocumentSums | None:
    """Return that, where it has been kept."""
    expected, variance, counts = (
        arrays.get_dense(store, project, f"whole_{name}")
        for name in ("expected", "variance", "decided")
    )
    if expected is None or variance is None or counts is None:
        return None
    sums = ShiftedSums(expected, variance, np.zeros_like(expected))
    return DocumentSums(sums, counts[:-1], int(counts[-1]))


def within(setting: Setting, store: Store, project: int, places: NDArray[np.int64]) -> Setting:
    """Return a setting under the tables of the whole set."""
    cells = arrays.get_dense(store, project, "tables")
    tables = None if cells is None else ContingencyTables(*cells)
    return replace(setting, class_tables=tables, ties=places)
