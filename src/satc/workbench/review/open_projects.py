"""The open projects of a server: opened on first use; new ones are created in the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from satc.errors import DataError
from satc.texts.words import marks as marking
from satc.workbench.messages import Message
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import check_name
from satc.workbench.project.history import read_history
from satc.workbench.project.opening import Report, no_report
from satc.workbench.review.accuracy.cold import ColdAccuracy
from satc.workbench.review.accuracy.facts import gather_facts
from satc.workbench.review.accuracy.headline import Facts
from satc.workbench.review.accuracy.live import LiveAccuracy
from satc.workbench.review.creating.beside import Recipe
from satc.workbench.review.creating.jobs import CreationJob, Creations
from satc.workbench.review.desk import Desk, desk_of
from satc.workbench.review.documents.table import DocumentTable
from satc.workbench.review.label_studio.guest import LabelStudioGuest
from satc.workbench.review.learning import Learning
from satc.workbench.review.managing.overview import Overviews
from satc.workbench.review.near_duplicates.background import NearDuplicates
from satc.workbench.review.opening import Opening, Openings
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
        self.document_table = DocumentTable(desk)
        self.growth: Growth | None = None
        if (origin := desk.project.settings.stored) is not None:
            from satc.workbench.review.growth import Growth  # needs the extra 'scale'

            self.growth = desk.unfetched = Growth(desk, origin, lambda: self.live_accuracy.extend())
        self.learning: Learning | None = None
        self.near_duplicates = NearDuplicates(desk)
        self.live_accuracy = LiveAccuracy(desk, self.growth)
        if desk.validation.model.is_cold:
            self.live_accuracy = cold = ColdAccuracy(desk)
            self.learning = Learning(desk, cold.renew)
            desk.on_decision = self.learning.update

    def messages(self) -> list[Message]:
        """Return the technical problems of the project, for the page."""
        said = self.live_accuracy.messages()
        if self.learning is not None and self.learning.error is not None:
            said.append(Message("server.learning_failed", error=self.learning.error))
        return said

    def facts(self) -> Facts:
        """Return where the project stands; `headline` puts it into one statement."""
        return gather_facts(self.desk, self.live_accuracy)

    @cached_property
    def overviews(self) -> Overviews:
        """The overview for managers."""
        return Overviews(self.desk)

    @cached_property
    def label_studio(self) -> LabelStudioGuest:
        """The answers of the project to Label Studio."""
        return LabelStudioGuest(self.desk)

    @cached_property
    def lexicon(self) -> dict[str, int]:
        """The number of the term of each word; empty where the learner is not known."""
        return read_terms(self.desk.store, self.desk.project.key)

    def marks(self, text: str, label: int) -> list[marking.Mark]:
        """Return the words of a text that are for or against a label."""
        weights = read_weights(self.desk.store, self.desk.project.key, label)
        return [] if weights is None else marking.marks(text, self.lexicon, weights)


class OpenProjects:
    """All projects of a store.

    With `estimating`, their accuracy is estimated in the background. With `in_background`, they are
    opened in the background as well (`begin`), and requests are told to come back.
    """

    def __init__(
        self, store: Store, *, estimating: bool = True, in_background: bool = False
    ) -> None:
        self.store = store
        self.creations = Creations(store)
        if in_background:
            self.creations.remove_remains()
        self.in_background = in_background
        self.openings = Openings()
        self._estimating = estimating
        self._open: dict[str, OpenProject] = {}
        self._opening: dict[str, Lock] = {}
        self._lock = Lock()

    @property
    def jobs(self) -> dict[str, CreationJob]:
        """The projects that are being created, or that could not be created, by name."""
        return self.creations.jobs()

    def names(self) -> list[str]:
        """Return the names of all projects that are complete."""
        return [project.name for project in list_projects(self.store)]

    def find(self, name: str) -> OpenProject | None:
        """Return a project if it is open."""
        return self._open.get(name)

    def open_now(self) -> dict[str, OpenProject]:
        """Return the projects that are open, by name."""
        return dict(self._open)

    def begin(self, name: str) -> Opening | None:
        """Start to open a project in the background; None if it is open.

        Without `in_background` nothing is started, because whoever needs the project opens it.

        Raises
        ------
        DataError
            If there is no project of this name.
        """
        if name in self._open or not self.in_background:
            return None
        get_project(self.store, name)
        opening = self.openings.begin(name, lambda report: self.open(name, report))
        return None if name in self._open else opening

    def open(self, name: str, report: Report = no_report) -> OpenProject:
        """Return a project, opened if needed; `report` is told each step.

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
                history = read_history(self.store, project)
                opened = OpenProject(desk_of(self.store, project, history, report))
                if opened.learning is not None:
                    opened.learning.update()  # decisions may have been imported
                if self._estimating:
                    opened.live_accuracy.start()
                    opened.document_table.prepare()
                self._open[name] = opened
            return self._open[name]

    def create(
        self,
        name: str,
        settings: Settings,
        recipe: Recipe,
        folder: Path,
        *,
        infer_task: bool = False,
        done: Callable[[], object] = lambda: None,
    ) -> None:
        """Create a project in the background; the folder of its files is deleted at the end.

        With `infer_task`, the predictions or the training labels tell the task, not the settings.
        `recipe` reads the files, in another process. `done` is called when the project is complete.

        Raises
        ------
        DataError
            If there is a project of this name.
        """
        check_name(name)
        with self._lock:
            if self.creations.is_running(name) or name in self.names():
                raise DataError(f"there is a project {name!r} already; choose another name")
            task = None if infer_task else settings.task
            job = self.creations.add(name, CreationJob(settings.title, task))
        self.creations.start(name, job, settings, recipe, folder, done)
