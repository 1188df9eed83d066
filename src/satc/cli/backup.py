"""`satc backup`: a consistent copy of a project, while a server works."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of


def backup(
    project: ProjectArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The backup to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier backup.")] = False,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Write a backup of a project, also while a server works on it.

    A backup is one file, which 'satc verify' checks and 'satc restore' restores. A backup of a file
    holds all its projects; a backup from PostgreSQL holds the project and all accounts. The file
    appears when it is complete, and only its owner can read it.

    Example: satc backup claims.satc -o claims-monday.satc
    """
    from satc.cli.progress import counted
    from satc.cli.show import print_json, say

    with open_store_of(project, database) as store, counted("copying the project") as progress:
        from satc.workbench.store.backup.backup import back_up

        back_up(store, name_in(project, database), output, progress, replace=force)
    size = output.stat().st_size
    if as_json:
        print_json({"file": str(output), "bytes": size})
    else:
        say(f"wrote {output} ({size:,} bytes)")
