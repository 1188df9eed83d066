"""`satc serve`: the server of the workbench."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from satc.cli.project import Database, ProjectArgument, open_store_of

PORT = 8765


def serve(
    project: ProjectArgument,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on; 0.0.0.0 for other machines, which needs users."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = PORT,
    certificate: Annotated[Path | None, typer.Option(help="Certificate file, for HTTPS.")] = None,
    key: Annotated[Path | None, typer.Option(help="Key file of the certificate.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = False,
    database: Database = None,
) -> None:
    """Serve the workbench until Ctrl-C.

    Without users, it serves one person on this machine, by the secret link that it prints.
    'satc users add' opens it to a team.

    Example: satc serve claims.satc
    """
    from satc.cli.show import say

    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # no file is half written: nothing to clean up
    if (certificate is None) != (key is None):
        raise typer.BadParameter("--certificate and --key must be given together")
    with open_store_of(project, database) as store:
        from satc.workbench.web.server import is_loopback
        from satc.workbench.web.server import serve as run

        if certificate is None and not is_loopback(host):
            say("note: without --certificate, passwords and texts are sent unencrypted")
        say("opening the project")

        def ready(address: str) -> None:
            typer.echo(f"The workbench is at {address}")
            say("Ctrl-C ends it; every decision is saved at once")
            if browser:
                typer.launch(address)

        run(
            store,
            host=host,
            port=port,
            certificate=None if certificate is None else str(certificate),
            key=None if key is None else str(key),
            ready=ready,
        )
