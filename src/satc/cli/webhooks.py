"""`satc webhooks`: programs that are told by HTTP what happens in a project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli.options import AsJson
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of

if TYPE_CHECKING:
    from satc.workbench.store import Store
    from satc.workbench.store.projects import Project
    from satc.workbench.store.webhooks.addresses import Webhook

ADDED_BY = "the command line"
app = typer.Typer(help="Manage the webhooks of a project; the server sends their messages.")
KeyArgument = Annotated[
    int, typer.Argument(metavar="KEY", help="Number of the webhook, as 'satc webhooks list' shows.")
]


@app.command()
def add(
    project: ProjectArgument,
    url: Annotated[str, typer.Argument(metavar="URL", help="Address: https://example.org/hook.")],
    event: Annotated[
        list[str] | None,
        typer.Option(help="decision, finished or alarm. Can be repeated; without it, all of them."),
    ] = None,
    database: Database = None,
) -> None:
    """Add a webhook; its secret is shown only once.

    Example: satc webhooks add claims.satc https://example.org/hook --event finished
    """
    with _open(project, database) as (store, stored):
        from satc.workbench.model.webhooks.messages import KINDS
        from satc.workbench.store.webhooks.addresses import add_webhook

        added = add_webhook(store, stored.key, url, event or KINDS, ADDED_BY)
    typer.echo(added.secret)
    typer.echo(f"webhook {added.key} is added; the receiver needs this secret", err=True)


@app.command("list")
def list_(project: ProjectArgument, as_json: AsJson = False, database: Database = None) -> None:
    """List the webhooks.

    Example: satc webhooks list claims.satc
    """
    with _open(project, database) as (store, stored):
        from satc.workbench.store.webhooks.addresses import count_waiting, list_webhooks

        found = [
            {
                "key": one.key,
                "url": one.url,
                "events": list(one.kinds),
                "waiting": count_waiting(store, one.key),
                "failing_since": one.failing_since,
            }
            for one in list_webhooks(store, stored.key)
        ]
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    for one in () if as_json else found:
        state = "works" if one["failing_since"] is None else f"failing since {one['failing_since']}"
        typer.echo(f"{one['key']} {one['url']} {_joined(one['events'])} {state}")
    if not found and not as_json:
        typer.echo("no webhooks")


@app.command()
def remove(project: ProjectArgument, key: KeyArgument, database: Database = None) -> None:
    """Remove a webhook, with the messages that wait for it.

    Example: satc webhooks remove claims.satc 1
    """
    with _open(project, database) as (store, stored):
        from satc.workbench.store.webhooks.addresses import remove_webhook

        _find(store, stored, key)
        remove_webhook(store, stored.key, key)
    typer.echo(f"webhook {key} is removed")


@app.command("test")
def send(
    project: ProjectArgument,
    key: KeyArgument,
    allow_private_webhooks: Annotated[
        bool, typer.Option(help="Send to loopback and private addresses, too.")
    ] = False,
    database: Database = None,
) -> None:
    """Send a test message now, from this machine.

    Example: satc webhooks test claims.satc 1
    """
    from satc.errors import SatcError

    with _open(project, database) as (store, stored):
        from satc.workbench.model.webhooks.networks import allowed_networks
        from satc.workbench.review.webhooks.request import Post
        from satc.workbench.review.webhooks.sender import send_test

        post = Post(allowed_networks(allow_private_webhooks, ()))
        outcome = send_test(post, _find(store, stored, key), stored.name)
    if not outcome.is_success:
        reason = ": ".join(str(one) for one in outcome if one is not None)
        raise SatcError(f"the test message was not taken: {reason}")
    typer.echo(f"the receiver has taken the test message (status {outcome.status})")


@contextmanager
def _open(project: str, database: str | None) -> Iterator[tuple[Store, Project]]:
    with open_store_of(project, database) as store:
        from satc.workbench.store.projects import get_project

        yield store, get_project(store, name_in(project, database))


def _find(store: Store, project: Project, key: int) -> Webhook:
    from satc.errors import DataError
    from satc.workbench.store.webhooks.addresses import list_webhooks

    found = {one.key: one for one in list_webhooks(store, project.key)}
    if key not in found:
        known = _joined(found) or "none"
        raise DataError(f"KEY must be a webhook of {project.name}, but is {key}; it has {known}")
    return found[key]


def _joined(items: object) -> str:
    return ", ".join(map(str, items))  # type: ignore[call-overload]
