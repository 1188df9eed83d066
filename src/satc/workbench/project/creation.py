"""Create a project: compute it first, then store it in short transactions, all of it or nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import Executor
from contextlib import closing
from pathlib import Path

from satc.code_book import CodeBook
from satc.errors import DataError
from satc.ranking.documents import RankedDocuments
from satc.texts.source import Progress, Source
from satc.workbench.model.settings import Settings
from satc.workbench.project.new_project.computing import compute_project
from satc.workbench.project.new_project.spool import SpooledDocuments
from satc.workbench.project.new_project.storing import store_project
from satc.workbench.store import Store
from satc.workbench.store.creating.short_transactions import ShortTransactions
from satc.workbench.store.new_file import new_file
from satc.workbench.store.projects import list_projects

_NAME = re.compile(r"[\w][\w .-]{0,99}")


def create_file(
    path: Path,
    source: Source,
    settings: Settings,
    documents: Path,
    progress: Progress,
    weights: Mapping[str, float] | None = None,
    book: CodeBook | None = None,
) -> RankedDocuments:
    """Create a project in a new file; return its documents, as they were ranked.

    The file appears when it is complete; if anything fails, there is no file.
    """
    check_name(path.stem)
    with new_file(path) as store:
        into = ShortTransactions(store, is_shared=False)
        made = source, settings, documents, progress, weights, book
        return _create(into, path.stem, *made, folder=path.parent)


def create(
    store: Store,
    name: str,
    source: Source,
    settings: Settings,
    documents: Path,
    progress: Progress,
    weights: Mapping[str, float] | None = None,
    book: CodeBook | None = None,
    writer: Executor | None = None,
) -> RankedDocuments:
    """Create a project in a store that others use; return its documents, as they were ranked.

    Nobody sees the project before it is complete, and nobody waits for it. If anything fails,
    nothing is left of it. `weights` gives the weights of classes by name; other classes have
    weight 1. `book` has the codes of all classes. `writer` runs the transactions, by default the
    thread that calls.
    """
    into = ShortTransactions(store, writer=writer)
    return _create(into, name, source, settings, documents, progress, weights, book)


def _create(
    into: ShortTransactions,
    name: str,
    source: Source,
    settings: Settings,
    documents: Path,
    progress: Progress,
    weights: Mapping[str, float] | None,
    book: CodeBook | None,
    folder: Path | None = None,
) -> RankedDocuments:
    check_name(name)
    if name in [project.name for project in list_projects(into.store)]:
        location = into.store.location
        raise DataError(f"{location} has a project {name!r} already; choose another name")
    prepared = source.prepare(progress)
    with closing(SpooledDocuments(folder)) as spool:
        computed = compute_project(prepared, settings, documents, spool, progress, weights, book)
        store_project(into, name, computed, spool, progress)
    return computed.ranking.documents


def check_name(name: str) -> None:
    """Refuse names that cannot be part of a web address.

    >>> check_name("../etc")
    Traceback (most recent call last):
    ...
    ValueError: a project's name must be letters, digits, spaces, dots or dashes, but is '../etc'
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"a project's name must be letters, digits, spaces, dots or dashes, but is {name!r}"
        )
