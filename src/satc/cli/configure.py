"""`satc configure`: show and change the settings of a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options
from satc.cli.book_options import Classes, HierarchyOption
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of
from satc.cli.project_options import read_settings

if TYPE_CHECKING:
    from satc.workbench.store import Store
    from satc.workbench.store.projects import Project


def configure(
    project: ProjectArgument,
    title: Annotated[str | None, typer.Option(help="Title that people see.")] = None,
    guidelines: Annotated[
        Path | None, typer.Option(help="A text file with the rules for labelling.")
    ] = None,
    overlap: Annotated[
        str | None, typer.Option(help="Share of documents that a second person checks too.")
    ] = None,
    blind: Annotated[
        str | None, typer.Option(help="Share of documents whose predictions are hidden.")
    ] = None,
    audit: Annotated[
        str | None,
        typer.Option(help="Share of the work that is a random audit; 100% audits only."),
    ] = None,
    stop: Annotated[str | None, typer.Option(help="Rule for the end of the work.")] = None,
    price: Annotated[float | None, typer.Option(help="Price of an hour of work.", min=0)] = None,
    lease: Annotated[
        int | None,
        typer.Option(help="Minutes that an opened document is kept for a person.", min=1),
    ] = None,
    classes: Classes = None,
    hierarchy: HierarchyOption = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Change the settings of a project, or show them; then restart a running server.

    In a running server, managers change the same settings on the page Settings, at once.

    With --classes, the code book of the project is replaced: names, definitions, parents and keys.
    The classes stay, so the book must have their codes.

    Example: satc configure claims.satc --audit 100%

    Example: satc configure claims.satc --classes book.csv
    """
    changes = read_settings(
        {
            "title": title,
            "guidelines": guidelines,
            "overlap": overlap,
            "blind": blind,
            "audit": audit,
            "stop": stop,
            "price": price,
            "lease": lease,
        }
    )
    with open_store_of(project, database) as store:
        from satc.workbench.model.setting_changes import changed_settings
        from satc.workbench.store.projects import change_settings, get_project

        found = get_project(store, name_in(project, database))
        settings = changed_settings(found.settings, changes)
        if changes:
            change_settings(store, found, settings)
        if classes is not None or hierarchy is not None:
            _replace_book(store, found, classes, hierarchy)
    if as_json:
        from satc.cli.show import print_json

        print_json(settings.as_dict())
        return
    for name, value in settings.as_dict().items():
        mark = "*" if name in changes else " "
        typer.echo(f"{mark} {name}: {value if value not in (None, '') else '-'}")


def _replace_book(
    store: Store, project: Project, classes: Path | None, hierarchy: str | None
) -> None:
    """Store another code book, and say which of its codes are not classes of the project."""
    from satc.cli.show import say
    from satc.code_book import CodeBook
    from satc.files.code_book import read_code_book
    from satc.workbench.project.code_book import replace_code_book

    if classes is not None:
        book = read_code_book(classes, hierarchy)
    else:
        book = CodeBook.of_codes(project.classes).with_notation(hierarchy)
    unused = replace_code_book(store, project, book).unused
    say(f"the code book has the {len(project.classes):,} classes of the project")
    if unused:
        codes = "codes are" if len(unused) > 1 else "code is"
        say(f"{len(unused):,} other {codes} left out: the classes of a project do not change")
    if project.settings.closed:
        say("labels that were predicted or decided before stay as they are")
