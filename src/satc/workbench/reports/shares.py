"""The shares of the classes of a project, from its predictions, its decisions and its audit.

The predictions are the probabilities from before the first decision. Probabilities that were learnt
from decisions know the audited documents, so that their errors there would look too small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.shares import Shares, shares_of_log
from satc.errors import DataError
from satc.files.values import as_text, jsonable
from satc.workbench.project.history import History
from satc.workbench.store import Store
from satc.workbench.store.documents import read_column
from satc.workbench.store.predictions import read_decided, read_probabilities
from satc.workbench.store.projects import Project

MOST_GROUPS = 100
MISSING = "(none)"
_NO_AUDIT = (
    "no intervals: without an audited document nobody knows how far the predictions are wrong, and "
    "these shares may be far from the truth; 'satc configure PROJECT --audit 20%' mixes random "
    "documents into the work (restart satc serve)"
)


@dataclass(frozen=True, eq=False)
class ProjectShares:
    """The shares of a project, in all documents or within groups.

    `classes` are codes, and `names` are their names in the code book. `classifier` has the share of
    each class among the predicted labels, for all documents (key None) and for each group.
    `n_undone` documents are undecided now, and were decided while others were drawn.
    """

    classes: tuple[str, ...]
    names: tuple[str, ...]
    found: Shares
    classifier: dict[str | None, NDArray[np.float64]]
    by: str | None = None
    n_undone: int = 0

    def parts(self) -> Iterator[tuple[str | None, Shares]]:
        """Iterate over the groups in their order; over all documents if there are no groups."""
        if self.by is None:
            yield None, self.found
            return
        for group in sorted(self.found.groups, key=_order):
            yield group, self.found.groups[group]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each class, or for each group and class."""
        rows = []
        for group, part in self.parts():
            grouped = {} if group is None else {"group": group}
            rows += [
                grouped | self._named(j) | self._figures(group, part, j)
                for j in range(len(self.classes))
            ]
        return rows

    def _named(self, j: int) -> dict[str, str]:
        """Return the class, and its name if there is another one."""
        named = {} if self.names == self.classes else {"name": self.names[j]}
        return {"class": self.classes[j]} | named

    def _figures(self, group: str | None, part: Shares, j: int) -> dict[str, Any]:
        return {
            "share": float(part.share[j]),
            "low": float(part.low[j]),
            "high": float(part.high[j]),
            "count": float(part.count[j]),
            "classifier": float(self.classifier[group][j]),
            "validated": int(part.validated[j]),
            "audited": int(part.audited[j]),
            "n_documents": part.n_documents,
            "n_validated": part.n_validated,
            "n_audited": part.n_audited,
        }

    @property
    def has_intervals(self) -> bool:
        """Whether there is an audit, or nothing is left to estimate."""
        return bool(np.isfinite(self.found.low).all())

    def note(self) -> str:
        """Say what the intervals rest on, or why there are none."""
        found = self.found
        if not self.has_intervals:
            return _NO_AUDIT
        if found.n_validated == found.n_documents:
            return f"all {found.n_documents:,} documents are decided: the shares are exact"
        return (
            f"{found.level:.0%} intervals, from {found.n_audited:,} documents that the audit drew "
            f"and {found.n_validated - found.n_audited:,} others decided, of "
            f"{found.n_documents:,}{self._without_audit()}{self._undone()}"
        )

    def _undone(self) -> str:
        if not self.n_undone:
            return ""
        return (
            f"; {self.n_undone:,} decisions were undone after others were drawn, which makes the "
            "intervals wider until these documents are decided again"
        )

    def _without_audit(self) -> str:
        bare = [str(group) for group, part in self.parts() if np.isnan(part.low).any()]
        if not bare:
            return ""
        shown = ", ".join(bare[:5]) + (", ..." if len(bare) > 5 else "")
        return f"; no interval in {len(bare):,} groups without an audited document: {shown}"

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-serialisable data."""
        return {
            "level": self.found.level,
            "by": self.by,
            "n_documents": self.found.n_documents,
            "n_validated": self.found.n_validated,
            "n_audited": self.found.n_audited,
            "note": self.note(),
            "shares": [jsonable(row) for row in self.rows()],
        }


def project_shares(
    store: Store,
    project: Project,
    history: History,
    *,
    by: str | None = None,
    level: float = 0.95,
) -> ProjectShares:
    """Estimate the shares of a project's classes.

    Raises
    ------
    DataError
        If the project holds a part of a larger set, its draws are not those of its seed, or `by`
        is not a column with a few values.
    """
    _check_holds_all_documents(project)
    history.check_draws(project.settings.draw_seed, project.n_documents)
    groups = None if by is None else read_groups(store, project, by)
    log, undone = history.pool_log()
    predictions = read_probabilities(store, project)
    found = shares_of_log(predictions, log, undone=undone, groups=groups, level=level)
    classifier = _classifier(store, project, groups)
    n_undone = len({one.document for one in undone} - {one.document for one in log})
    return ProjectShares(project.classes, project.names, found, classifier, by, n_undone)


def shares_for_report(store: Store, project: Project, history: History) -> ProjectShares | None:
    """Return the shares of a project, or None if it cannot have any."""
    try:
        return project_shares(store, project, history)
    except DataError:
        return None


def read_groups(store: Store, project: Project, column: str) -> list[str]:
    """Return the value of each document in a column, as text."""
    values = read_column(store, project.key, column)
    groups = [as_text(value) or MISSING for value in values]
    n_groups = len(set(groups))
    if n_groups > MOST_GROUPS:
        raise DataError(
            f"the column {column!r} must have at most {MOST_GROUPS} different values to divide "
            f"the documents by, but has {n_groups:,}; numbers and dates can be put into ranges, "
            "in a column of their own"
        )
    return groups


def _classifier(
    store: Store, project: Project, groups: list[str] | None
) -> dict[str | None, NDArray[np.float64]]:
    decided = read_decided(store, project)
    found: dict[str | None, NDArray[np.float64]] = {None: decided.mean(axis=0)}
    names = np.array(groups or [])
    for group in set(groups or []):
        found[group] = decided[names == group].mean(axis=0)
    return found


def _check_holds_all_documents(project: Project) -> None:
    if project.settings.stored is not None:
        raise DataError(
            f"project {project.name!r} must hold all its documents for shares, which need a random "
            f"sample of them, but holds the {project.n_documents:,} best of {project.n_whole:,}"
        )


def _order(group: str) -> tuple[bool, float, str]:
    """Order groups: numbers by size, then texts, and documents without a value last."""
    try:
        number = float(group)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        return (False, number, group)
    return (True, float(group == MISSING), group)
