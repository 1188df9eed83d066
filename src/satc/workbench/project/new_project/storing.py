"""Store a computed project in short transactions; the last of them makes it visible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from satc.errors import DataError
from satc.texts.source import Progress
from satc.workbench.project.larger_set import LargerSet
from satc.workbench.project.new_project.computing import ComputedProject
from satc.workbench.project.new_project.spool import SpooledDocuments
from satc.workbench.store import Transaction
from satc.workbench.store.arrays import put_parts
from satc.workbench.store.connection import StoreConflictError, StoreError
from satc.workbench.store.creating.short_transactions import ShortTransactions
from satc.workbench.store.creating.unfinished import (
    begin_project,
    complete_project,
    remove_project,
)
from satc.workbench.store.documents import NewDocument, put_documents
from satc.workbench.store.larger_set import put_bound, put_cuts, put_rule, put_tables
from satc.workbench.store.projects import add_classes, put_code_book

_SHOWN = 2_000  # documents between two reports of progress


def store_project(
    transactions: ShortTransactions,
    name: str,
    project: ComputedProject,
    spool: SpooledDocuments,
    progress: Progress,
) -> None:
    """Store a project; if that fails, remove what was stored of it.

    Raises
    ------
    DataError
        If the store has got a project of this name meanwhile.
    """
    progress("storing documents")
    with begin_project(transactions.store, name) as key:
        try:
            _store(transactions, key, name, project, spool, progress)
        except BaseException:
            if transactions.is_shared:  # a file of our own is removed as a whole
                with suppress(StoreError):  # a server removes it when it starts
                    remove_project(transactions, key)
            raise


def _store(
    transactions: ShortTransactions,
    key: int,
    name: str,
    project: ComputedProject,
    spool: SpooledDocuments,
    progress: Progress,
) -> None:
    _put_classes(transactions, key, project.classes)
    if (book := project.book) is not None:
        transactions.run(lambda to: put_code_book(to, key, book))
    transactions.write(
        project.parts(), lambda part: part.size, lambda to, some: put_parts(to, key, some)
    )
    if (whole := project.whole) is not None:
        transactions.run(lambda to: _put_larger_set(to, key, whole))
    transactions.write(
        _told(spool.ranked(project.ranking), progress),
        lambda one: one.content.size,
        lambda to, some: put_documents(to, key, some),
    )
    n_documents = len(project.ranking.order)
    try:
        transactions.run(
            lambda to: complete_project(to, key, name, project.settings, n_documents), durable=True
        )
    except StoreConflictError:
        raise DataError(
            f"{transactions.store.location} got a project {name!r} while this one was made; "
            "choose another name"
        ) from None


def _told(documents: Iterator[NewDocument], progress: Progress) -> Iterator[NewDocument]:
    """Give the documents, and tell how many there were."""
    for one in documents:
        yield one
        if (one.position + 1) % _SHOWN == 0:
            progress("storing documents", one.position + 1)


def _put_classes(transactions: ShortTransactions, key: int, classes: tuple[str, ...]) -> None:
    transactions.write(
        enumerate(classes),
        lambda one: 50 + len(one[1]),
        lambda to, some: add_classes(to, key, some[0][0], [one for _, one in some]),
    )


def _put_larger_set(connection: Transaction, key: int, whole: LargerSet) -> None:
    put_tables(connection, key, whole.model.class_tables)
    put_cuts(connection, key, whole.model.cuts)
    put_rule(connection, key, whole.model.rule)
    put_bound(connection, key, 0, whole.bound)
