"""Another code book for a project: its classes stay, their names, parents and keys change."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from satc.code_book import CodeBook
from satc.errors import DataError
from satc.workbench.store import Store
from satc.workbench.store.projects import Project, change_code_book


class ReplacedBook(NamedTuple):
    """A project with its new code book, and the codes of the book that are not its classes."""

    project: Project
    unused: tuple[str, ...]


def replace_code_book(store: Store, project: Project, book: CodeBook) -> ReplacedBook:
    """Store another code book for a project.

    Raises
    ------
    DataError
        If the book lacks a class of the project, or lacks parents where labels imply theirs.
    """
    book.check_has(project.classes, f"the project {project.name!r}")
    if project.settings.closed and not book.has_parents:
        raise DataError(
            f"{book.source} must have parents, because a label implies its parents in the project "
            f"{project.name!r}, but has none"
        )
    change_code_book(store, project, book)
    own = book.for_classes(project.classes)
    return ReplacedBook(replace(project, book=own), tuple(book.unused(own.codes)))
