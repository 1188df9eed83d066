"""Create a project in a process of its own, and remove what a process has left behind.

Such a process has a low priority, so that people do not wait for a processor. Only the thread that
writes has a normal one: people wait for the end of its transactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from satc.code_book import CodeBook
from satc.texts.source import Progress, ReadySource, Source
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create
from satc.workbench.project.task import inferred_task
from satc.workbench.review.aside import lower_priority
from satc.workbench.store import open_store
from satc.workbench.store.creating.short_transactions import ShortTransactions
from satc.workbench.store.creating.unfinished import remove_unfinished


class Recipe(Protocol):
    """The files of a new project, and how they are read. It can be sent to another process."""

    @property
    def documents(self) -> Path:
        """The file with the documents."""

    def source(self) -> Source:
        """Read what must be read first, and return the source."""

    def book(self, classes: Sequence[str]) -> CodeBook | None:
        """Read the code book, if there is one."""

    def weights(self) -> Mapping[str, float] | None:
        """Read the weights of the classes, if there are any."""


class Tell(Protocol):
    """Called with a step, the number of documents that are done, and the task once it is known."""

    def __call__(self, step: str, done: int = 0, task: str | None = None) -> None: ...


def create_beside(
    address: str, name: str, settings: Settings, infer_task: bool, recipe: Recipe, tell: Tell
) -> None:
    """Create a project in the store at an address."""
    with closing(open_store(address)) as store, _writer() as writer:
        progress: Progress = tell
        prepared = recipe.source().prepare(progress)
        task = inferred_task(prepared) if infer_task else settings.task
        tell("importing documents", 0, task)
        given = recipe.weights(), recipe.book(prepared.classes)
        made = ReadySource(prepared), replace(settings, task=task), recipe.documents, progress
        create(store, name, *made, *given, writer=writer)


def remove_beside(address: str, keys: Sequence[int]) -> None:
    """Remove what is left of projects that were not completed."""
    with closing(open_store(address)) as store, _writer() as writer:
        remove_unfinished(ShortTransactions(store, writer=writer), keys)


@contextmanager
def _writer() -> Iterator[Executor]:
    """Give a thread of normal priority; from now on, the thread that calls has a low one."""
    with ThreadPoolExecutor(1) as writer:
        writer.submit(int).result()  # the thread exists now
        lower_priority()
        yield writer
