"""Options for the code book, and what the commands say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli.option_checks import checked

if TYPE_CHECKING:
    from satc.code_book import CodeBook, Hierarchy
    from satc.texts.learner_source import LearnerSource
    from satc.texts.source import PreparedSource

_SHOWN = 5


def _check_hierarchy(separator: str | None) -> None:
    from satc.code_book.notation import check_separator

    check_separator(separator)


Classes = Annotated[
    Path | None,
    typer.Option(
        help="Code book of all classes: a table with the column 'code' and, if you like, 'name', "
        "'definition', 'parent' and 'key'; or the names alone, one per line, or a JSON list."
    ),
]
HierarchyOption = Annotated[
    str | None,
    typer.Option(
        help="Parents of classes follow from the notation of their codes: / (sport/football), "
        ": (1:2) or . (C14.280.067).",
        callback=checked(_check_hierarchy),
        metavar="/|:|.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class BookOptions:
    """The hierarchy of the classes."""

    hierarchy: HierarchyOption = None
    closed: Annotated[
        bool,
        typer.Option("--closed", help="A label implies its parents, and theirs."),
    ] = False

    def read_book(self, path: Path | None) -> CodeBook | None:
        """Read the code book; None if there is none."""
        from satc.files.code_book import read_code_book

        if path is not None:
            book = read_code_book(path, self.hierarchy)
            if self.closed and not book.has_parents:
                raise typer.BadParameter(
                    f"--closed needs parents, but {path} has none: a column 'parent', or "
                    "--hierarchy '/' if they follow from the codes"
                )
            return book
        if self.closed and self.hierarchy is None:
            raise typer.BadParameter(
                "--closed needs parents: --classes FILE with the column 'parent', or --hierarchy "
                "'/' if they follow from the names of the classes"
            )
        return None

    def book_of(self, book: CodeBook | None, classes: Sequence[str]) -> CodeBook | None:
        """Return the book; without one, that of the notation of the classes, or None."""
        from satc.code_book import CodeBook

        if book is not None or self.hierarchy is None:
            return book
        return CodeBook.of_codes(classes).with_notation(self.hierarchy)

    def closing(self, book: CodeBook | None, classes: Sequence[str]) -> Hierarchy | None:
        """Return the hierarchy of the classes, if a label implies its parents; otherwise None."""
        if not self.closed or book is None:
            return None
        return book.for_classes(classes).class_hierarchy(len(classes))


def code_labels(
    source: LearnerSource, given: BookOptions, book: CodeBook | None
) -> tuple[LearnerSource, CodeBook | None]:
    """Check the labels of a source against the book, and complete them if the scheme is closed."""
    from satc.texts.coded.completing import complete
    from satc.texts.labelled import read_labelled

    labelled = source.labelled or read_labelled(source)
    book = given.book_of(book, labelled.documents.classes)
    if book is None:
        return replace(source, labelled=labelled), None
    book.check_has(labelled.documents.classes, source.train)
    if given.closed:
        labelled, n = complete(labelled, book)
        _say_completed(n, len(labelled.documents))
    say_unused(book, labelled.documents.classes)
    return replace(source, labelled=labelled), book


def code_predictions(
    prepared: PreparedSource, task: str, given: BookOptions, book: CodeBook | None
) -> CodeBook | None:
    """Check the classes of predictions or scores against the book; return it."""
    from satc.texts.coded.completing import count_completed, refuse_single

    book = given.book_of(book, prepared.classes)
    if book is None:
        return None
    book.check_has(prepared.classes, "the predictions")
    if given.closed:
        refuse_single(task)
        if prepared.training is not None:
            n = count_completed(prepared.training, book.for_classes(prepared.classes))
            _say_completed(n, prepared.training.n_documents)
    say_unused(book, prepared.classes)
    return book


def column_codes(book: CodeBook, n_classes: int) -> tuple[str, ...]:
    """Return the codes as the names of columns that have none; there must be as many."""
    from satc.errors import DataError

    if len(book) != n_classes:
        raise DataError(
            f"{book.source} must have a code for each of the {n_classes:,} columns of the scores, "
            f"which have no names, but has {len(book):,}"
        )
    return book.codes


def _say_completed(n: int, n_documents: int) -> None:
    from satc.cli.show import say

    if n:
        say(f"{n:,} of {n_documents:,} labelled documents got the parents of their labels")


def say_unused(book: CodeBook, classes: Sequence[str]) -> None:
    """Say which codes are not classes, because no training document has them."""
    from satc.cli.show import say

    if not (unused := book.unused(classes)):
        return
    shown = ", ".join(unused[:_SHOWN]) + (", ..." if len(unused) > _SHOWN else "")
    have, them = ("codes have", "them") if len(unused) > 1 else ("code has", "it")
    say(f"{len(unused):,} {have} no labelled document, so people cannot choose {them}: {shown}")
