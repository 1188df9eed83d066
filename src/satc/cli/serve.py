"""`satc serve`: the server of the workbench."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from satc.cli.login_options import LoginOptions, login_settings
from satc.cli.option_groups import with_groups
from satc.cli.project import Database, ProjectArgument, need_workbench, open_store_of

if TYPE_CHECKING:
    from satc.workbench.store import Store
    from satc.workbench.web.proxy.settings import ProxySettings
    from satc.workbench.web.serving.settings import ServerSettings

PORT = 8765


def _proxy(root_path: str, trusted: list[str], uds: Path | None) -> ProxySettings:
    """Return the settings of a server behind proxies, from the options."""
    from satc.workbench.web.proxy.root_path import checked_root_path
    from satc.workbench.web.proxy.settings import ProxySettings
    from satc.workbench.web.proxy.trusted import TrustedProxies

    try:
        proxies = TrustedProxies(trusted, unix_socket=uds is not None)
        return ProxySettings(checked_root_path(root_path), proxies)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@with_groups
def serve(
    *,
    project: ProjectArgument,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on; 0.0.0.0 for other machines, which needs users."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = PORT,
    uds: Annotated[
        Path | None,
        typer.Option(help="Unix socket to listen on instead, for a proxy; needs users."),
    ] = None,
    root_path: Annotated[
        str,
        typer.Option(help="Path below which a proxy serves the workbench, such as /tools/satc."),
    ] = "",
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="Address or network of a proxy whose X-Forwarded-For, -Proto, -Host and -Prefix "
            "are believed; can be repeated.",
            show_default=False,
        ),
    ] = None,
    login: LoginOptions,
    certificate: Annotated[Path | None, typer.Option(help="Certificate file, for HTTPS.")] = None,
    key: Annotated[Path | None, typer.Option(help="Key file of the certificate.")] = None,
    access_log: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Append a line of JSON for each request to this file; - for standard output.",
        ),
    ] = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            help="Serve Prometheus metrics on a port of their own, without a login; 0 takes a "
            "free one.",
            min=0,
            max=65535,
        ),
    ] = None,
    metrics_host: Annotated[
        str, typer.Option(help="Address of the metrics port; keep it private.")
    ] = "127.0.0.1",
    allow_private_webhooks: Annotated[
        bool,
        typer.Option(help="Send webhooks to loopback and private addresses, too."),
    ] = False,
    webhook_network: Annotated[
        list[str] | None,
        typer.Option(
            help="Send webhooks to this network, too, although it is private: 10.1.0.0/16. "
            "Can be repeated."
        ),
    ] = None,
    label_studio: Annotated[
        bool,
        typer.Option(
            "--label-studio",
            help="Answer Label Studio as its model (ML backend); prints the address of each "
            "project, which contains a key.",
        ),
    ] = False,
    new_label_studio_key: Annotated[
        bool,
        typer.Option(
            "--new-label-studio-key",
            help="The same with new keys; the addresses that were printed before end.",
        ),
    ] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = False,
    database: Database = None,
) -> None:
    """Serve the workbench until Ctrl-C.

    Without users, it serves one person on this machine, by the secret link that it prints.
    'satc users add' opens it to a team, and so does the login of a company.

    Example: satc serve claims.satc
    """
    from satc.cli.show import say

    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # no file is half written: nothing to clean up
    if (certificate is None) != (key is None):
        raise typer.BadParameter("--certificate and --key must be given together")
    need_workbench()
    proxy = _proxy(root_path, trusted_proxy or [], uds)
    with open_store_of(project, database) as store:
        from satc.workbench.model.webhooks.networks import allowed_networks
        from satc.workbench.web.listening import is_loopback
        from satc.workbench.web.serving.settings import ServerSettings

        ways = login_settings(login, has_trusted_proxy=bool(proxy.trusted))
        if ways.has_company_login and not ways.roles.decides:
            _note_missing_manager(store)
        if certificate is None and not proxy.trusted and not is_loopback(host):
            say("note: without --certificate, passwords and texts are sent unencrypted")
        settings = ServerSettings(
            host=host,
            port=port,
            uds=uds,
            proxy=proxy,
            certificate=None if certificate is None else str(certificate),
            key=None if key is None else str(key),
            login=ways,
            access_log=_log_target(access_log),
            metrics=None if metrics_port is None else (metrics_host, metrics_port),
            networks=allowed_networks(allow_private_webhooks, webhook_network or ()),
            label_studio="new" if new_label_studio_key else label_studio,
        )
        _run(store, settings, browser)


def open_workbench(project: str, *, port: int, browser: bool) -> None:
    """Serve a project on this machine, for one person, until Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    need_workbench()
    with open_store_of(project, None) as store:
        from satc.workbench.web.serving.settings import ServerSettings

        _run(store, ServerSettings("127.0.0.1", port), browser)


def _run(store: Store, settings: ServerSettings, browser: bool) -> None:
    """Serve a store, and print what the server does."""
    from satc.cli.show import say
    from satc.workbench.web.server import serve as run
    from satc.workbench.web.serving.settings import Reports

    def ready(address: str) -> None:
        typer.echo(f"The workbench is at {address}")
        say("Ctrl-C ends it; every decision is saved at once")
        if browser:
            typer.launch(address)

    reports = Reports(
        ready=ready,
        label_studio_ready=lambda name, address: typer.echo(
            f"The model of {name} for Label Studio is at {address}"
        ),
        metrics_ready=lambda address: say(f"the metrics are at {address}"),
        step=lambda name, step: say(f"{name}: {step}"),
        opened=lambda: typer.echo("All projects are open."),
    )
    run(store, settings, reports)


def _log_target(access_log: str | None) -> Path | IO[str] | None:
    """Return the file of the access log; "-" is standard output."""
    if access_log is None:
        return None
    return sys.stdout if access_log == "-" else Path(access_log)


def _note_missing_manager(store: Store) -> None:
    """Say how somebody becomes a manager where neither a user nor a group is one."""
    from satc.cli.show import say
    from satc.workbench.store.people.users import list_users

    if all(user.role != "manager" for user in list_users(store)):
        say(
            "note: nobody is a manager yet; --role-mapping GROUP=manager makes a group manager, or "
            "'satc users add PROJECT NAME --role manager --no-password' one person"
        )
