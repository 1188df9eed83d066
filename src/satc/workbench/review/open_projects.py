"""The projects of a store: opened when first asked for, and made in the background."""

from __future__ import annotations

import shutil
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread

from satc.errors import DataError, SatcError
from satc.texts import words
from satc.texts.sources import Source
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import check_name, create
from satc.workbench.project.history import read_history
from satc.workbench.review.desk import Desk, desk_of
from satc.workbench.review.growth import Growth
from satc.workbench.review.live_accuracy import Monitor
from satc.workbench.store import Store
from satc.workbench.store.projects import get_project, list_projects
from satc.workbench.store.words import read_terms, read_weights


class OpenProject:
    """A project at work: its desk, its live estimate, its words."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.growth: Growth | None = None
        if (stored := desk.project.settings.stored) is not None:
            self.growth = desk.unfetched = Growth(desk, stored, lambda: self.monitor.renew())
        self.monitor = Monitor(desk, self.growth)

    @cached_property
    def lexicon(self) -> dict[str, int]:
        """Which word stands for which term; empty where the learner is not known."""
        return read_terms(self.desk.store, self.desk.project.key)

    def marks(self, text: str, label: int) -> list[words.Mark]:
        """Return the words of a text that speak for or against a label."""
        weights = read_weights(self.desk.store, self.desk.project.key, label)
        return [] if weights is None else words.marks(text, self.lexicon, weights)


@dataclass
class Job:
    """A project that is being made."""

    title: str
    progress: str = "waiting"
    error: str | None = None


class Desks:
    """All projects of a store; with `estimating`, their accuracy is followed in the background."""

    def __init__(self, store: Store, *, estimating: bool = True) -> None:
        self.store = store
        self._estimating = estimating
        self.jobs: dict[str, Job] = {}
        self._open: dict[str, OpenProject] = {}
        self._opening: dict[str, Lock] = {}
        self._lock = Lock()

    def names(self) -> list[str]:
        """Return the names of the projects that can be worked on."""
        return [project.name for project in list_projects(self.store)]

    def opened(self, name: str) -> OpenProject | None:
        """Return a project if it is open already."""
        return self._open.get(name)

    def open(self, name: str) -> OpenProject:
        """Return a project at work; `DataError` where there is none of that name."""
        if (known := self._open.get(name)) is not None:
            return known
        project = get_project(self.store, name)
        with self._lock:
            opening = self._opening.setdefault(name, Lock())
        with opening:
            if name not in self._open:
                desk = desk_of(self.store, project, read_history(self.store, project))
                self._open[name] = OpenProject(desk)
                if self._estimating:
                    self._open[name].monitor.start()
            return self._open[name]

    def start(
        self,
        name: str,
        settings: Settings,
        source: Callable[[], Source],
        documents: Path,
        folder: Path,
    ) -> None:
        """Make a project in the background; the folder with its files is removed at the end."""
        check_name(name)
        with self._lock:
            busy = name in self.jobs and self.jobs[name].error is None
            if busy or name in self.names():
                raise DataError(f"there is a project {name!r} already; choose another name")
            job = self.jobs[name] = Job(settings.title)

        def work() -> None:
            try:
                create(self.store, name, source(), settings, documents, _reporting(job))
                del self.jobs[name]
            except (SatcError, ValueError, TypeError, OSError, MemoryError) as error:
                job.error = str(error).replace(f"{folder}/", "")
            except Exception:  # a learner may raise anything; the server must live on
                job.error = traceback.format_exc().strip().splitlines()[-1]
            finally:
                shutil.rmtree(folder, ignore_errors=True)

        Thread(target=work, name=f"create {name}", daemon=True).start()


def _reporting(job: Job) -> Callable[[str, int, int | None], None]:
    def report(what: str, done: int, total: int | None) -> None:
        job.progress = f"{what}: {done:,}" if done else what

    return report
