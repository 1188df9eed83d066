"""Invite people by a link: they open it, set a password, and are logged in.

A link is valid for seven days and works once. A link for a user who exists already sets a new
password. The store keeps a digest of the secret in the link, never the secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_urlsafe
from typing import NamedTuple

from satc.errors import DataError
from satc.inputs import choice
from satc.workbench.messages import Message
from satc.workbench.model.clock import later, now
from satc.workbench.store import Store
from satc.workbench.store.people import invitations
from satc.workbench.store.people.invitations import Invitation, Kind
from satc.workbench.store.people.members import check_projects
from satc.workbench.store.people.names import check_name
from satc.workbench.store.people.users import find_user, list_users
from satc.workbench.web.access.accounts import ROLES, token_digest
from satc.workbench.web.access.passwords import hash_password

VALID_SECONDS = 7 * 24 * 3600
PATH = "/join"


class InvitationLink(NamedTuple):
    """A link for one person; `path` holds its secret, and is shown only once."""

    path: str
    expires_at: str


def invite(
    store: Store, name: str, role: str, invited_by: str, projects: Sequence[str] | None = None
) -> InvitationLink:
    """Return a link by which a new person sets a password, and becomes a member of projects.

    `projects` are their names; None means the only project of the store.

    Raises
    ------
    ValueError
        If the name has characters that are not allowed, or the role is unknown.
    DataError
        If there is a user of this name, or of one that looks like it; if the store has no users
        yet; or if there is no such project.
    """
    check_name(name)
    choice(role, ROLES, "role")
    if not list_users(store):
        raise DataError(Message("manage.manager_first"))
    check_projects(store, projects or ())
    return _add(store, "new", name, role, invited_by, projects)


def invite_again(store: Store, name: str, invited_by: str) -> InvitationLink:
    """Return a link by which a user sets a new password; the old one is valid until then."""
    user = find_user(store, name)
    if user is None:
        raise DataError(Message("manage.no_such_person", name=name))
    return _add(store, "reset", name, user.role, invited_by)


def find(store: Store, secret: str) -> Invitation | None:
    """Return the invitation of the secret in a link, or None."""
    return invitations.find_invitation(store, token_digest(secret))


def accept(store: Store, secret: str, password: str) -> Invitation | None:
    """Set the password of an invited person; return None if the link is not valid any more.

    Raises
    ------
    ValueError
        If the password is too short.
    """
    return accept_hashed(store, secret, hash_password(password))


def accept_hashed(store: Store, secret: str, hashed: str) -> Invitation | None:
    """Do the same with the hash of the password."""
    return invitations.accept_invitation(store, token_digest(secret), hashed)


def _add(
    store: Store,
    kind: Kind,
    name: str,
    role: str,
    invited_by: str,
    projects: Sequence[str] | None = None,
) -> InvitationLink:
    secret, expires_at = token_urlsafe(32), later(VALID_SECONDS)
    names = None if projects is None else list(projects)
    digest = token_digest(secret)
    row = Invitation(digest, kind, name, role, invited_by, now(), expires_at, None, names)
    invitations.add_invitation(store, row)
    return InvitationLink(f"{PATH}?key={secret}", expires_at)
