"""`satc restore`: a project from its backup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options
from satc.cli.project import Database, need_workbench

if TYPE_CHECKING:
    from satc.workbench.store.backup.restore import Restored


def restore(
    backup: Annotated[Path, typer.Argument(metavar="FILE", help="A file made by 'satc backup'.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The new project file.")
    ] = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Restore a backup into a new file (-o) or into PostgreSQL (--database).

    Documents, events with their numbers, settings, users and tokens come back as they were. Open
    documents, invitations and sessions do not: everybody logs in again. The backup is checked first
    and is not changed. Users whom PostgreSQL has already stay as they are there.

    Example: satc restore claims-monday.satc -o claims.satc
    """
    from satc.cli.show import print_json, say

    need_workbench()
    found = _restored(backup, output, database)
    if as_json:
        print_json(found._asdict())
        return
    say(f"restored {', '.join(found.projects)} to {output or 'the database'}")
    if found.users:
        say(
            f"{len(found.users):,} users are as they were at the time of the backup: "
            "'satc users list' shows them"
        )


def _restored(backup: Path, output: Path | None, database: str | None) -> Restored:
    from satc.cli.progress import counted
    from satc.workbench.store.backup.restore import restore_database, restore_file

    with counted("restoring the backup") as progress:
        if output is not None:
            return restore_file(backup, output, progress)
        if database is None:
            raise typer.BadParameter("-o (a new file) or --database must be given")
        return restore_database(backup, database, progress)
