"""`satc configure`: what can be changed after a project was made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, opened


def configure(
    project: ProjectArgument,
    title: Annotated[str | None, typer.Option(help="What people see.")] = None,
    guidelines: Annotated[Path | None, typer.Option(help="A text file with the rules.")] = None,
    overlap: Annotated[str | None, typer.Option(help="Share that a second person checks.")] = None,
    blind: Annotated[str | None, typer.Option(help="Share without predictions.")] = None,
    audit: Annotated[
        str | None, typer.Option(help="Share of the work that is a random audit; 100% at the end.")
    ] = None,
    stop: Annotated[str | None, typer.Option(help="When the work may end.")] = None,
    price: Annotated[float | None, typer.Option(help="Price of an hour of work.", min=0)] = None,
    lease: Annotated[
        int | None, typer.Option(help="Minutes that a document is kept.", min=1)
    ] = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Change the settings of a project, or show them; a running server must be started again.

    Example: satc configure claims.satc --audit 100%
    """
    from satc.cli.show import print_json
    from satc.files import read_text

    given: dict[str, Any] = {
        "title": title,
        "guidelines": None if guidelines is None else read_text(guidelines),
        "overlap": None if overlap is None else options.share(overlap, "--overlap"),
        "blind": None if blind is None else options.share(blind, "--blind"),
        "audit": None if audit is None else options.share(audit, "--audit"),
        "stop": None if stop is None else options.rule(stop),
        "price": price,
        "lease_seconds": None if lease is None else 60 * lease,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    with opened(project, database) as store:
        from satc.workbench.store.projects import change_settings, get_project

        found = get_project(store, name_in(project, database))
        settings = replace(found.settings, **changes)
        if changes:
            change_settings(store, found, settings)
    if as_json:
        print_json(settings.as_dict())
        return
    for name, value in settings.as_dict().items():
        mark = "*" if name in changes else " "
        typer.echo(f"{mark} {name}: {value if value not in (None, '') else '-'}")
