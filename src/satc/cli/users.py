"""`satc users`: the users of a project, with their roles, passwords and tokens."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from satc.cli.options import AsJson
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of

INVITED_BY = "the command line"
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
    password: Annotated[
        bool, typer.Option(help="Without a password, the user comes by the company's login.")
    ] = True,
    database: Database = None,
) -> None:
    """Add a user; the password is asked for, or read from standard input.

    An annotator may open the project that PROJECT names, or the only one of a file.

    Example: satc users add claims.satc ann --role manager
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.people.members import projects_of
        from satc.workbench.store.people.users import list_users
        from satc.workbench.web.access.accounts import add_user

        first = not list_users(store)
        named = name_in(project, database)
        projects = None if named is None else {named: "annotator"}
        add_user(store, name, role, _password() if password else None, projects=projects)
        is_shut_out = role == "annotator" and not projects_of(store, name)
    typer.echo(f"{name} may log in as {role}")
    if is_shut_out:
        said = f"{name} may open no project yet: satc users grant {project}/PROJECT {name}"
        typer.echo(said, err=True)
    if first:
        typer.echo("the secret link is no longer valid: restart a running server", err=True)


@app.command()
def invite(
    project: ProjectArgument,
    name: NameArgument,
    role: Role = "annotator",
    address: Annotated[
        str, typer.Option(help="Address of the server, as people open it.")
    ] = "http://127.0.0.1:8765",
    database: Database = None,
) -> None:
    """Print a link by which a person sets a password and logs in; it works once, for 7 days.

    For a user who exists already, the link sets a new password.

    Example: satc users invite claims.satc eve --address https://workbench.example.org
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.people.users import find_user
        from satc.workbench.web.access import invitations

        if find_user(store, name) is None:
            named = name_in(project, database)
            projects = None if named is None else [named]
            link = invitations.invite(store, name, role, INVITED_BY, projects)
        else:
            link = invitations.invite_again(store, name, INVITED_BY)
    typer.echo(f"{address.rstrip('/')}{link.path}")
    typer.echo(f"send this link to {name}; it is valid until {link.expires_at[:10]}", err=True)


@app.command("list")
def list_(project: ProjectArgument, as_json: AsJson = False, database: Database = None) -> None:
    """List the users, with the projects that they may open; managers may open all.

    Example: satc users list claims.satc
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.people.members import list_members
        from satc.workbench.store.people.users import list_users

        users, members = list_users(store), list_members(store)
    projects = {
        user.name: {one.project: one.role for one in members if one.user == user.name}
        for user in users
    }
    if as_json:
        rows = [
            {"name": u.name, "role": u.role, "since": u.created_at, "projects": projects[u.name]}
            for u in users
        ]
        typer.echo(json.dumps(rows, indent=2))
    elif users:
        for user in users:
            shown = _projects_text(user.role, projects[user.name])
            typer.echo(f"{user.name:20} {user.role:10} since {user.created_at[:10]}  {shown}")
    else:
        typer.echo("nobody yet: the workbench serves one person, by a secret link")


def _projects_text(role: str, projects: dict[str, str]) -> str:
    if role == "manager":
        return "all projects"
    shown = [name if one == "annotator" else f"{name} ({one})" for name, one in projects.items()]
    return ", ".join(shown) or "no project"


@app.command()
def grant(
    project: ProjectArgument,
    name: NameArgument,
    role: Annotated[str, typer.Option(help="Role in the project: annotator or manager.")] = (
        "annotator"
    ),
    database: Database = None,
) -> None:
    """Let a user open a project, or change their role in it.

    Example: satc users grant team.satc/claims ann --role manager
    """
    with open_store_of(project, database) as store:
        from satc.inputs import choice
        from satc.workbench.store.people import members
        from satc.workbench.store.projects import get_project
        from satc.workbench.web.access.accounts import ROLES

        choice(role, ROLES, "role")
        granted = get_project(store, name_in(project, database)).name
        members.grant(store, name, granted, role)
    typer.echo(f"{name} may open {granted} as {role}")


@app.command()
def withdraw(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Take a project from a user; they can still log in, and their decisions stay.

    Example: satc users withdraw team.satc/claims ann
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.people import members
        from satc.workbench.store.people.users import find_user
        from satc.workbench.store.projects import get_project

        withdrawn = get_project(store, name_in(project, database)).name
        members.withdraw(store, name, withdrawn)
        user = find_user(store, name)
    if user is not None and user.role == "manager":
        typer.echo(f"{name} is a manager, and may open every project")
    else:
        typer.echo(f"{name} may no longer open {withdrawn}")


@app.command()
def password(
    project: ProjectArgument,
    name: NameArgument,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove it: the user comes by the company's login.")
    ] = False,
    database: Database = None,
) -> None:
    """Change the password of a user; this ends their sessions.

    Example: satc users password claims.satc ann
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.people.users import change_user
        from satc.workbench.web.access.passwords import hash_password, no_password

        hashed = no_password() if remove else hash_password(_password())
        change_user(store, name, password=hashed)
    typer.echo(f"{name} has {'no' if remove else 'a new'} password")


@app.command()
def role(
    project: ProjectArgument,
    name: NameArgument,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="annotator or manager.")],
    database: Database = None,
) -> None:
    """Change the role of a user.

    Who is no longer a manager is an annotator in all their projects.

    Example: satc users role claims.satc ann annotator
    """
    with open_store_of(project, database) as store:
        from satc.inputs import choice
        from satc.workbench.store.people.users import change_user
        from satc.workbench.web.access.accounts import ROLES

        choice(role, ROLES, "role")
        change_user(store, name, role=role)
    typer.echo(f"{name} is now {role}")


@app.command()
def remove(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Remove a user; their decisions stay in the record.

    Example: satc users remove claims.satc ann
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.people.users import remove_user

        remove_user(store, name)
    typer.echo(f"{name} may no longer log in")


@app.command()
def token(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Create a token, with which programs log in as this user; it is shown only once.

    Example: satc users token claims.satc ann
    """
    with open_store_of(project, database) as store:
        from satc.workbench.web.access.accounts import new_token

        typer.echo(new_token(store, name))


@app.command()
def revoke(project: ProjectArgument, name: NameArgument, database: Database = None) -> None:
    """Revoke all tokens of a user.

    Example: satc users revoke claims.satc ann
    """
    with open_store_of(project, database) as store:
        from satc.workbench.store.people.users import remove_tokens

        n = remove_tokens(store, name)
    typer.echo(f"{n} tokens of {name} are revoked")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
