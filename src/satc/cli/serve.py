"""`satc serve`: the workbench."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from satc.cli.project import Database, ProjectArgument, opened


def serve(
    project: ProjectArgument,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other machines need users and 0.0.0.0.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 8765,
    certificate: Annotated[Path | None, typer.Option(help="Certificate file, for HTTPS.")] = None,
    key: Annotated[Path | None, typer.Option(help="Key file of the certificate.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = False,
    database: Database = None,
) -> None:
    """Serve the workbench, until Ctrl-C.

    Without users it serves one person on this machine, who comes in by the link that is printed.
    'satc users add' opens it to a team.

    Example: satc serve claims.satc
    """
    from satc.cli.show import complain

    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # nothing is half written: no need to tidy up
    if (certificate is None) != (key is None):
        raise typer.BadParameter("--certificate and --key must be given together")
    with opened(project, database) as store:
        from satc.workbench.web.server import is_loopback
        from satc.workbench.web.server import serve as run

        if certificate is None and not is_loopback(host):
            complain("note: without --certificate, passwords and texts travel unencrypted")
        complain("opening the project")

        def ready(address: str) -> None:
            typer.echo(f"The workbench is at {address}")
            complain("Ctrl-C ends it; everything is saved as it is decided")
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
