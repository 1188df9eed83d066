"""`satc users`: who may come in, and as what."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from satc.cli.options import AsJson
from satc.cli.project import Database, ProjectArgument, opened

app = typer.Typer(help="Say who may come in: people with passwords, programs with tokens.")
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Whom.")]
Role = Annotated[
    str, typer.Option(help="annotator (checks) or manager (also changes others' work, exports).")
]


@app.command()
def add(
    project: ProjectArgument,
    name: NameArgument,
    role: Role = "annotator",
    database: Database = None,
) -> None:
    """Let a person in; the password is asked for, or read from standard input.

    Example: satc users add claims.satc ann --role manager
    """
    with opened(project, database) as store:
        from satc.workbench.store.users import list_users
        from satc.workbench.web.accounts import add_user

        first = not list_users(store)
        add_user(store, name, role, _password())
    typer.echo(f"{name} may come in as {role}")
    if first:
        typer.echo("the secret link ends with this: restart a server that is running", err=True)


@app.command("list")
def list_(project: ProjectArgument, as_json: AsJson = False, database: Database = None) -> None:
    """List who may come in.

    Example: satc users list claims.satc
    """
    with opened(project, database) as store:
        from satc.workbench.store.users import list_users

        users = [{"name": u.name, "role": u.role, "since": u.created_at} for u in list_users(store)]
    if as_json:
        typer.echo(json.dumps(users, indent=2))
    elif users:
        for user in users:
            typer.echo(f"{user['name']:20} {user['role']:10} since {user['since'][:10]}")
    else:
        typer.echo("nobody yet: the workbench serves one person, by a secret link")


@app.command()
def password(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Give a person another password; this ends their sessions.

    Example: satc users password claims.satc ann
    """
    with opened(project, database) as store:
        from satc.workbench.store.users import change_user
        from satc.workbench.web.passwords import hash_password

        change_user(store, name, password=hash_password(_password()))
    typer.echo(f"{name} has a new password")


@app.command()
def role(
    project: ProjectArgument,
    name: NameArgument,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="annotator or manager.")],
    database: Database = None,
) -> None:
    """Give a person another role.

    Example: satc users role claims.satc ann annotator
    """
    with opened(project, database) as store:
        from satc.inputs import choice
        from satc.workbench.store.users import change_user
        from satc.workbench.web.accounts import ROLES

        choice(role, ROLES, "role")
        change_user(store, name, role=role)
    typer.echo(f"{name} is now {role}")


@app.command()
def remove(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Let a person in no longer; what they did stays in the record.

    Example: satc users remove claims.satc ann
    """
    with opened(project, database) as store:
        from satc.workbench.store.users import remove_user

        remove_user(store, name)
    typer.echo(f"{name} may no longer come in")


@app.command()
def token(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Make a token with which programs come in as this person; it is shown only once.

    Example: satc users token claims.satc ann
    """
    with opened(project, database) as store:
        from satc.workbench.web.accounts import new_token

        typer.echo(new_token(store, name))


@app.command()
def revoke(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Make all tokens of a person worthless.

    Example: satc users revoke claims.satc ann
    """
    with opened(project, database) as store:
        from satc.workbench.store.users import remove_tokens

        n = remove_tokens(store, name)
    typer.echo(f"{n} tokens of {name} are worthless now")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
