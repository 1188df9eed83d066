"""`satc erase`: take a person's name out of the record."""

from __future__ import annotations

from typing import Annotated

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, open_store_of


def erase(
    project: ProjectArgument,
    user: Annotated[str, typer.Option("--user", help="Name of the person.", show_default=False)],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Replace a person's name by a pseudonym in all projects of the file or database.

    Decisions, their order and their numbers stay, and 'satc verify' and certificates still hold.
    The account, tokens and invitations of the person are deleted. The name is also replaced in
    notes. Documents and settings are not searched, nor are earlier backups and exports. Stop the
    server first.

    Example: satc erase claims.satc --user ann
    """
    from satc.cli.show import print_json

    with open_store_of(project, database) as store:
        from satc.workbench.store.people.erasing import erase_person

        store.lock()
        if not yes:
            typer.confirm(f"Replace {user!r} for good? Nobody can undo this", abort=True)
        done = erase_person(store, user)
    if as_json:
        print_json(done._asdict())
        return
    for name, pseudonym in done.pseudonyms.items():
        typer.echo(f"{name}: the person is now {pseudonym}")
    typer.echo(
        f"the name was replaced in {done.n_events:,} events and {done.n_texts:,} notes, and "
        f"removed from {done.n_other_rows:,} other rows"
    )
