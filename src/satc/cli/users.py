"""`satc users`: the users of a project, with their roles, passwords and tokens."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from satc.cli.options import AsJson
from satc.cli.project import Database, ProjectArgument, open_store_of

app = typer.Typer(help="Manage who may log in: people with passwords, programs with tokens.")
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the user.")]
Role = Annotated[
    str,
    typer.Option(help="annotator (checks) or manager (also changes others' decisions, exports)."),
]


@app.command()
def add(
    project: ProjectArgument,
    name: NameArgument,
    role: Role = "annotator",
    database: Database = None,
) -> None:
    """Add a user; the password is asked for, or read from standard input.

    Example: satc users add claims.satc ann --role manager
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.users import list_users
        from satc.workbench.web.accounts import add_user

        first = not list_users(store)
        add_user(store, name, role, _password())
    typer.echo(f"{name} may log in as {role}")
    if first:
        typer.echo("the secret link is no longer valid: restart a running server", err=True)


@app.command("list")
def list_(project: ProjectArgument, as_json: AsJson = False, database: Database = None) -> None:
    """List the users.

    Example: satc users list claims.satc
    """
    with open_store_of(project, database) as store:
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
    """Change the password of a user; this ends their sessions.

    Example: satc users password claims.satc ann
    """
    with open_store_of(project, database) as store:
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
    """Change the role of a user.

    Example: satc users role claims.satc ann annotator
    """
    with open_store_of(project, database) as store:
        from satc.inputs import choice
        from satc.workbench.store.users import change_user
        from satc.workbench.web.accounts import ROLES

        choice(role, ROLES, "role")
        change_user(store, name, role=role)
    typer.echo(f"{name} is now {role}")


@app.command()
def remove(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Remove a user; their decisions stay in the record.

    Example: satc users remove claims.satc ann
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.users import remove_user

        remove_user(store, name)
    typer.echo(f"{name} may no longer log in")


@app.command()
def token(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Create a token, with which programs log in as this user; it is shown only once.

    Example: satc users token claims.satc ann
    """
    with open_store_of(project, database) as store:
        from satc.workbench.web.accounts import new_token

        typer.echo(new_token(store, name))


@app.command()
def revoke(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Revoke all tokens of a user.

    Example: satc users revoke claims.satc ann
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.users import remove_tokens

        n = remove_tokens(store, name)
    typer.echo(f"{n} tokens of {name} are revoked")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
