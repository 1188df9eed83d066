"""Routes for people: list them, change their roles and projects, remove them, invite them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Path, Request
from pydantic import BaseModel, Field

from satc.workbench.messages import Message
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import Store
from satc.workbench.store.people.invitations import list_invitations, remove_invitations
from satc.workbench.store.people.members import list_members, set_projects
from satc.workbench.store.people.users import change_user, find_user, list_users, remove_user
from satc.workbench.store.projects import list_projects
from satc.workbench.web.access import invitations
from satc.workbench.web.access.accounts import add_user
from satc.workbench.web.access.authentication import Authenticator, Identity
from satc.workbench.web.access.invitations import InvitationLink
from satc.workbench.web.access.passwords import has_password
from satc.workbench.web.addresses import address
from satc.workbench.web.api.dependencies import (
    CurrentAuthenticator,
    CurrentManager,
    CurrentOpenProjects,
)
from satc.workbench.web.api.models.common import Nothing, RequestModel, StorableText

router = APIRouter(prefix="/people")
Role = Literal["annotator", "manager"]
NameField = Annotated[StorableText, Field(min_length=1, max_length=100)]
UserName = Annotated[str, Path(min_length=1, max_length=100, description="Name of the user.")]


class UserOut(BaseModel):
    """A person who may log in; `projects` are their roles in projects, if they are no manager."""

    name: str
    role: str
    since: str
    has_password: bool
    projects: dict[str, str]


class ProjectName(BaseModel):
    """A project of the server."""

    name: str
    title: str


class InvitedOut(BaseModel):
    """An invitation that was not used yet; `kind` says whether it sets the first password."""

    name: str
    role: str
    kind: Literal["new", "reset"]
    invited_by: str
    expires: str
    has_expired: bool


class People(BaseModel):
    """The people of a server; one that has no users serves a single person by a secret link."""

    single_user: bool
    projects: list[ProjectName]
    users: list[UserOut]
    invitations: list[InvitedOut]


class RoleIn(RequestModel):
    """The new role of a user."""

    role: Role


class RolesIn(RequestModel):
    """The roles of a user in projects, by the names of the projects."""

    projects: Annotated[dict[StorableText, Role], Field(max_length=10_000)]


class InvitationIn(RoleIn):
    """The person who is invited, and the names of their projects; null means the only one."""

    name: NameField
    projects: Annotated[list[StorableText] | None, Field(max_length=10_000)] = None


class FirstManagerIn(RequestModel):
    """The first user of a server."""

    name: NameField
    password: Annotated[StorableText, Field(max_length=1000)]


class LinkOut(BaseModel):
    """A link, as a path of the host that serves the page; it is shown only once."""

    name: str
    path: str
    expires: str


@router.get("")
def people(
    user: CurrentManager, authenticator: CurrentAuthenticator, open_projects: CurrentOpenProjects
) -> People:
    """List the users and the invitations that were not used."""
    store = open_projects.store
    return People(
        single_user=authenticator.single_user,
        projects=[
            ProjectName(name=one.name, title=one.settings.title) for one in list_projects(store)
        ],
        users=_users(store),
        invitations=[
            InvitedOut(
                name=one.name,
                role=one.role,
                kind=one.kind,
                invited_by=one.invited_by,
                expires=one.expires_at,
                has_expired=one.state == "expired",
            )
            for one in list_invitations(store)
        ],
    )


def _users(store: Store) -> list[UserOut]:
    members = list_members(store)
    return [
        UserOut(
            name=one.name,
            role=one.role,
            since=one.created_at,
            has_password=has_password(one.password),
            projects={member.project: member.role for member in members if member.user == one.name},
        )
        for one in list_users(store)
    ]


@router.post("", status_code=201)
def add_first_manager(
    user: CurrentManager,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
    sent: FirstManagerIn,
) -> Nothing:
    """Add the first user, a manager, to a server that has none; it is in force after a restart."""
    if not authenticator.single_user or list_users(open_projects.store):
        raise ConflictError(Message("manage.invite_instead"))
    add_user(open_projects.store, sent.name, "manager", sent.password)
    return Nothing()


@router.patch("/{person}")
def change_role(
    user: CurrentManager, open_projects: CurrentOpenProjects, person: UserName, sent: RoleIn
) -> Nothing:
    """Change the role of another user."""
    _check_other(user, person)
    _check_exists(open_projects, person)
    change_user(open_projects.store, person, role=sent.role, keep_manager=True)
    return Nothing()


@router.put("/{person}/projects")
def change_projects(
    user: CurrentManager, open_projects: CurrentOpenProjects, person: UserName, sent: RolesIn
) -> Nothing:
    """Say which projects a user may open, and with which role; managers may open all of them."""
    _check_exists(open_projects, person)
    set_projects(open_projects.store, person, sent.projects)
    return Nothing()


@router.delete("/{person}")
def remove(user: CurrentManager, open_projects: CurrentOpenProjects, person: UserName) -> Nothing:
    """Remove another user; their decisions stay in the record."""
    _check_other(user, person)
    _check_exists(open_projects, person)
    remove_user(open_projects.store, person, keep_manager=True)
    return Nothing()


@router.post("/invitations", status_code=201)
def invite(
    request: Request,
    user: CurrentManager,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
    sent: InvitationIn,
) -> LinkOut:
    """Make a link by which a new person sets a password; it works once, for seven days."""
    _check_passwords(authenticator)
    link = invitations.invite(open_projects.store, sent.name, sent.role, user.name, sent.projects)
    return _shown(request, sent.name, link)


@router.post("/{person}/invitation", status_code=201)
def invite_again(
    request: Request,
    user: CurrentManager,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
    person: UserName,
) -> LinkOut:
    """Make a link by which a user sets a new password."""
    _check_passwords(authenticator)
    _check_exists(open_projects, person)
    link = invitations.invite_again(open_projects.store, person, user.name)
    return _shown(request, person, link)


@router.delete("/invitations/{person}")
def withdraw(user: CurrentManager, open_projects: CurrentOpenProjects, person: UserName) -> Nothing:
    """Withdraw an invitation: its link does not work any more."""
    if not remove_invitations(open_projects.store, person):
        raise HTTPException(404, Message("manage.no_open_invitation", name=person))
    return Nothing()


def _shown(request: Request, person: str, link: InvitationLink) -> LinkOut:
    return LinkOut(name=person, path=address(request, link.path), expires=link.expires_at)


def _check_other(user: Identity, person: str) -> None:
    """Refuse changes of the manager's own account, which could leave nobody in charge."""
    if person == user.name:
        raise ConflictError(Message("manage.not_your_own_account"))


def _check_passwords(authenticator: Authenticator) -> None:
    """Refuse a link that sets a password where passwords are switched off."""
    if not authenticator.login.passwords:
        raise ConflictError(Message("server.no_passwords"))


def _check_exists(open_projects: CurrentOpenProjects, person: str) -> None:
    if find_user(open_projects.store, person) is None:
        raise HTTPException(404, Message("manage.no_such_person", name=person))
