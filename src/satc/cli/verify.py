"""`satc verify`: compare what is stored with its digests, and replay the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of

if TYPE_CHECKING:
    from satc.workbench.project.verification.verification import Verification


def verify(
    project: ProjectArgument, as_json: options.AsJson = False, database: Database = None
) -> None:
    """Verify a project or a backup, also while a server works: say what is wrong, and where.

    Every document, array and setting is compared with its digest, and every event with the chain of
    events. The log is replayed. The exit code is 1 if something is wrong.

    Example: satc verify claims.satc
    """
    from satc.cli.progress import steps
    from satc.cli.show import print_json, say
    from satc.errors import SatcError

    with steps() as progress:
        try:
            with open_store_of(project, database) as store:
                from satc.workbench.project.verification.verification import verify as run

                found = run(store, name_in(project, database), progress)
        except SatcError as error:
            if as_json:
                print_json(_not_opened(str(error)))
            raise
    if as_json:
        print_json(found.as_dict())
    else:
        for fault in found.faults:
            say(str(fault))
        typer.echo(_result(found))
    if found.faults:
        raise typer.Exit(1)


def _not_opened(reason: str) -> dict[str, object]:
    fault = {"part": "file", "place": "the file", "problem": reason, "message": reason}
    return {"is_whole": False, "faults": [fault], "projects": []}


def _result(found: Verification) -> str:
    if found.faults:
        plural = "faults" if len(found.faults) > 1 else "fault"
        return f"{len(found.faults):,} {plural}; 'satc restore' restores a backup"
    counts = (
        f"{one['name']}: {one['documents']:,} documents and {one['events']:,} events are as they "
        "were stored"
        for one in found.projects
    )
    return "\n".join(counts)
