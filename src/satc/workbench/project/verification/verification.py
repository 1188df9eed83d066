"""`verify`: everything that is wrong with the projects of a store, and from where on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from satc.errors import DataError
from satc.workbench.model.events import Event
from satc.workbench.project.verification.replay import replay_faults
from satc.workbench.project.verification.shapes import shape_faults
from satc.workbench.store import Store, StoreError, Transaction
from satc.workbench.store.backup.snapshot import snapshot
from satc.workbench.store.digests.checking import digest_faults
from satc.workbench.store.digests.database import database_faults
from satc.workbench.store.digests.faults import UNREADABLE, Fault, unreadable
from satc.workbench.store.leases import read_leases
from satc.workbench.store.projects import Project, get_project, list_projects
from satc.workbench.store.search.agreement import index_agrees

Report = Callable[[str], None]  # called with the step that begins


@dataclass
class Verification:
    """The result: the faults of a store, and how much was read."""

    faults: list[Fault] = field(default_factory=list)
    projects: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-serialisable data."""
        faults = [{**fault._asdict(), "message": str(fault)} for fault in self.faults]
        return {"is_whole": not faults, "faults": faults, "projects": self.projects}


def verify(store: Store, name: str | None, report: Report) -> Verification:
    """Verify one project, or without a name all projects of a store.

    Raises
    ------
    DataError
        If there is no project of this name.
    """
    found = Verification()
    report("checking the database")
    with snapshot(store) as connection:
        found.faults += database_faults(connection)
    for project in _projects(store, name, found):
        events: list[Event] = []
        found.faults += _project_faults(store, project, events, report)
        counts = {"documents": project.n_documents, "events": len(events)}
        found.projects.append({"name": project.name, **counts})
    return found


def _projects(store: Store, name: str | None, found: Verification) -> Iterator[Project]:
    try:
        names = [name] if name else [one.name for one in list_projects(store)]
        if not names:
            found.faults.append(Fault("file", "the store", "has no project"))
    except (StoreError, *UNREADABLE) as error:
        found.faults.append(unreadable("settings", "the list of projects", error))
        return
    for one in names:
        try:
            project = get_project(store, one)
        except DataError:
            raise
        except (StoreError, *UNREADABLE) as error:
            found.faults.append(unreadable("settings", f"project {one!r}", error))
        else:
            yield project


def _project_faults(
    store: Store, project: Project, events: list[Event], report: Report
) -> Iterator[Fault]:
    """Yield the faults of a project, and add its events to the list."""
    report(f"{project.name}: comparing everything with its digests")
    with snapshot(store) as connection:
        yield from digest_faults(connection, project.key, events)
        report(f"{project.name}: replaying the log")
        yield from replay_faults(project, events)
        report(f"{project.name}: comparing the search index with the texts")
        yield from _index_faults(connection, project)
    report(f"{project.name}: checking arrays and leases")
    yield from shape_faults(store, project)
    yield from _lease_faults(store, project)


def _index_faults(connection: Transaction, project: Project) -> Iterator[Fault]:
    try:
        if not index_agrees(connection, project.key):
            problem = "does not agree with the texts of the documents"
            yield Fault("search", "the search index", problem)
    except UNREADABLE as error:
        yield unreadable("search", "the search index", error)


def _lease_faults(store: Store, project: Project) -> Iterator[Fault]:
    try:
        leases = read_leases(store, project.key)
    except (StoreError, *UNREADABLE) as error:
        yield unreadable("leases", "the leases", error)
        return
    for lease in leases:
        if not 0 <= lease.document < project.n_documents:
            problem = f"must be on a document of the project, but is on {lease.document}"
            yield Fault("leases", f"the lease of {lease.who!r}", problem)
