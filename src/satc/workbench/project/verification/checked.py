"""Read a project and its history for results that people rely on: refuse it if it is damaged."""

from __future__ import annotations

from satc.workbench.project.history import History
from satc.workbench.store import Store, StoreError
from satc.workbench.store.digests.checking import check_digests
from satc.workbench.store.digests.faults import UNREADABLE, WAY_ON, DamagedError
from satc.workbench.store.projects import Project, get_project


def read_checked(store: Store, name: str | None = None) -> tuple[Project, History]:
    """Return a project and its history, after everything in it was compared with its digest.

    Raises
    ------
    DataError
        If there is no such project.
    DamagedError
        If something in it is damaged.
    """
    try:
        project = get_project(store, name)
    except (StoreError, *UNREADABLE) as error:
        reason = str(error).partition("\n")[0]
        said = f"{store.location}: the project cannot be read: {reason}; {WAY_ON}"
        raise DamagedError(said, "it cannot be read") from error
    return project, read_checked_history(store, project)


def read_checked_history(store: Store, project: Project) -> History:
    """Return the history of a project, after everything in it was compared with its digest."""
    return History.of(check_digests(store, project.name))
