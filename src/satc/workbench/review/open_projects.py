"""The open projects of a server: opened on first use; new ones are created in the background."""

from __future__ import annotations

import shutil
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from satc.code_book import CodeBook
from satc.errors import DataError, SatcError
from satc.texts.source import ReadySource, Source
from satc.texts.words import marks as marking
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import check_name, create
from satc.workbench.project.history import read_history
from satc.workbench.project.task import inferred_task
from satc.workbench.review.cold_accuracy import ColdAccuracy
from satc.workbench.review.desk import Desk, desk_of
from satc.workbench.review.learning import Learning
from satc.workbench.review.live_accuracy import LiveAccuracy
from satc.workbench.store import Store
from satc.workbench.store.projects import get_project, list_projects
from satc.workbench.store.words import read_terms, read_weights

if TYPE_CHECKING:
    from satc.workbench.review.growth import Growth


class OpenProject:
    """A project in memory: its desk, its live accuracy, and the words of its classifier.

    `growth` fetches more documents, and `learning` learns from decisions, where a project does so.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.growth: Growth | None = None
        if (origin := desk.project.settings.stored) is not None:
            from satc.workbench.review.growth import Growth  # needs the extra 'scale'

            self.growth = desk.unfetched = Growth(desk, origin, lambda: self.live_accuracy.extend())
        self.learning: Learning | None = None
        self.live_accuracy = LiveAccuracy(desk, self.growth)
        if desk.validation.model.is_cold:
            self.live_accuracy = cold = ColdAccuracy(desk)
            self.learning = Learning(desk, cold.renew)
            desk.on_decision = self.learning.update

    def messages(self) -> list[str]:
        """Return messages for the page."""
        said = self.live_accuracy.messages()
        if self.learning is not None and self.learning.error is not None:
            said.append(f"The probabilities cannot be learnt anew: {self.learning.error}")
        return said

    @cached_property
    def lexicon(self) -> dict[str, int]:
        """The number of the term of each word; empty where the learner is not known."""
        return read_terms(self.desk.store, self.desk.project.key)

    def marks(self, text: str, label: int) -> list[marking.Mark]:
        """Return the words of a text that are for or against a label."""
        weights = read_weights(self.desk.store, self.desk.project.key, label)
        return [] if weights is None else marking.marks(text, self.lexicon, weights)


@dataclass
class CreationJob:
    """A project that is being created; `error` says why the creation failed.

    `task` is None until it is inferred.
    """

    title: str
    task: str | None = None
    progress: str = "waiting"
    error: str | None = None

    def report(self, step: str, done: int = 0) -> None:
        """Note the progress: the step, and how many items of it are done."""
        self.progress = f"{step}: {done:,}" if done else step


class OpenProjects:
    """All projects of a store; with `estimating`, their accuracy is estimated in the background."""

    def __init__(self, store: Store, *, estimating: bool = True) -> None:
        self.store = store
        self.jobs: dict[str, CreationJob] = {}
        self._estimating = estimating
        self._open: dict[str, OpenProject] = {}
        self._opening: dict[str, Lock] = {}
        self._lock = Lock()

    def names(self) -> list[str]:
        """Return the names of all projects that are complete."""
        return [project.name for project in list_projects(self.store)]

    def find(self, name: str) -> OpenProject | None:
        """Return a project if it is open."""
        return self._open.get(name)

    def open(self, name: str) -> OpenProject:
        """Return a project, opened if needed.

        Raises
        ------
        DataError
            If there is no project of this name.
        """
        if (found := self._open.get(name)) is not None:
            return found
        project = get_project(self.store, name)
        with self._lock:
            opening = self._opening.setdefault(name, Lock())
        with opening:
            if name not in self._open:
                desk = desk_of(self.store, project, read_history(self.store, project))
                self._open[name] = OpenProject(desk)
                if (learning := self._open[name].learning) is not None:
                    learning.update()  # decisions may have been imported
                if self._estimating:
                    self._open[name].live_accuracy.start()
            return self._open[name]

    def create(
        self,
        name: str,
        settings: Settings,
        source: Callable[[], Source],
        documents: Path,
        folder: Path,
        *,
        infer_task: bool = False,
        book: Callable[[], CodeBook | None] = lambda: None,
    ) -> None:
        """Create a project in the background; the folder of its files is deleted at the end.

        With `infer_task`, the predictions or the training labels tell the task, not the settings.
        `book` reads the code book.

        Raises
        ------
        DataError
            If there is a project of this name.
        """
        check_name(name)
        with self._lock:
            busy = name in self.jobs and self.jobs[name].error is None
            if busy or name in self.names():
                raise DataError(f"there is a project {name!r} already; choose another name")
            job = CreationJob(settings.title, None if infer_task else settings.task)
            self.jobs[name] = job

        def work() -> None:
            try:
                prepared = source().prepare(job.report)
                job.task = inferred_task(prepared) if infer_task else settings.task
                final = replace(settings, task=job.task)
                ready = ReadySource(prepared)
                create(self.store, name, ready, final, documents, job.report, book=book())
                del self.jobs[name]
            except (SatcError, ValueError, TypeError, OSError, MemoryError) as error:
                job.error = str(error).replace(f"{folder}/", "")
            except Exception:  # a learner may raise anything; the server must go on
                job.error = traceback.format_exc().strip().splitlines()[-1]
            finally:
                shutil.rmtree(folder, ignore_errors=True)

        Thread(target=work, name=f"create {name}", daemon=True).start()
