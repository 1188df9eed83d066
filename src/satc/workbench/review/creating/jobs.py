"""The projects that a server is creating, each in a process, and those that could not be created.

A failed creation leaves nothing in the store. Its message stays until somebody dismisses it, a
project of the same name is created, or a day has passed.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock, Thread
from time import monotonic

from satc.errors import SatcError
from satc.workbench.model.settings import Settings
from satc.workbench.review.aside import ProcessEndedError, call_in_process
from satc.workbench.review.creating.beside import Recipe, create_beside, remove_beside
from satc.workbench.store import Store
from satc.workbench.store.connection import StoreError
from satc.workbench.store.creating.unfinished import unfinished_projects
from satc.workbench.store.disclosure.outage import tell_error

_AT_ONCE = 2  # projects that are created at the same time
_KEPT_SECONDS = 24 * 3600.0  # for which the message of a failed creation stays


@dataclass
class CreationJob:
    """A project that is being created; `error` says why the creation failed.

    `task` is None until it is inferred.
    """

    title: str
    task: str | None = None
    progress: str = "waiting"
    error: str | None = None
    failed_at: float | None = None

    def report(self, step: str, done: int = 0, task: str | None = None) -> None:
        """Note the progress: the step, and how many items of it are done."""
        self.progress = f"{step}: {done:,}" if done else step
        self.task = task or self.task

    def fail(self, error: str) -> None:
        """Note why the creation failed."""
        self.failed_at = monotonic()
        self.error = error


class Creations:
    """The creations of a server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: dict[str, CreationJob] = {}
        self._lock = Lock()
        self._places = BoundedSemaphore(_AT_ONCE)

    def jobs(self) -> dict[str, CreationJob]:
        """Return the creations that are running or have failed, by the name of the project."""
        with self._lock:
            oldest = monotonic() - _KEPT_SECONDS
            for name, job in [*self._jobs.items()]:
                if job.failed_at is not None and job.failed_at < oldest:
                    del self._jobs[name]
            return dict(self._jobs)

    def is_running(self, name: str) -> bool:
        """Whether a project of this name is being created."""
        job = self._jobs.get(name)
        return job is not None and job.error is None

    def add(self, name: str, job: CreationJob) -> CreationJob:
        """Add a creation, in the place of one that failed."""
        with self._lock:
            self._jobs[name] = job
        return job

    def dismiss(self, name: str) -> None:
        """Remove the message of a creation that failed."""
        with self._lock:
            self._jobs.pop(name, None)

    def start(
        self,
        name: str,
        job: CreationJob,
        settings: Settings,
        recipe: Recipe,
        folder: Path,
        done: Callable[[], object],
    ) -> None:
        """Create a project in a process; the folder of its files is deleted at the end."""

        def work() -> None:
            infer_task = job.task is None
            arguments = self._store.address, name, settings, infer_task, recipe
            try:
                with self._places:
                    call_in_process(create_beside, *arguments, tell=job.report, is_low=False)
                done()
                self.dismiss(name)  # from now on the project is shown as complete
            except Exception as error:  # a learner may raise anything; the server must go on
                self._remove_remains_of(name, error)
                job.fail(_reason(error).replace(f"{folder}/", ""))
            finally:
                shutil.rmtree(folder, ignore_errors=True)

        Thread(target=work, name=f"create {name}", daemon=True).start()

    def remove_remains(self) -> None:
        """Remove, in the background, what earlier processes have left of unfinished projects."""
        keys = [one.key for one in unfinished_projects(self._store)]
        if keys:
            name = "remove unfinished projects"
            Thread(target=self._remove, args=(keys,), name=name, daemon=True).start()

    def _remove_remains_of(self, name: str, error: Exception) -> None:
        """Remove what is left of a project, unless the server is stopping: its next start does."""
        if isinstance(error, ProcessEndedError) and error.code == -signal.SIGTERM:
            return
        with suppress(StoreError):
            found = [one.key for one in unfinished_projects(self._store) if one.name == name]
            if found:
                self._remove(found)

    def _remove(self, keys: list[int]) -> None:
        with suppress(SatcError, OSError, ProcessEndedError):  # the next start tries again
            call_in_process(remove_beside, self._store.address, keys, is_low=False)


def _reason(error: Exception) -> str:
    """Say why a project could not be created."""
    if isinstance(error, ProcessEndedError):
        return f"the process that created the project ended with {error.code}"
    if isinstance(error, SatcError | ValueError | TypeError | OSError | MemoryError):
        return str(tell_error(error))
    return f"{type(error).__name__}: {error}"
