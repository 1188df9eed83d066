"""`satc configure`: show and change the settings of a project."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of
from satc.cli.project_options import read_settings


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
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Change the settings of a project, or show them; then restart a running server.

    Example: satc configure claims.satc --audit 100%
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
        from satc.workbench.store.projects import change_settings, get_project

        found = get_project(store, name_in(project, database))
        settings = replace(found.settings, **changes)
        if changes:
            change_settings(store, found, settings)
    if as_json:
        from satc.cli.show import print_json

        print_json(settings.as_dict())
        return
    for name, value in settings.as_dict().items():
        mark = "*" if name in changes else " "
        typer.echo(f"{mark} {name}: {value if value not in (None, '') else '-'}")
