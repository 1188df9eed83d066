"""Users who come by the company's login: added on first sight, with the role of their groups."""

from __future__ import annotations

from collections.abc import Collection

from satc.errors import DataError, SatcError
from satc.workbench.messages import Message
from satc.workbench.store import Store
from satc.workbench.store.people import users
from satc.workbench.store.people.names import check_name
from satc.workbench.store.people.users import User
from satc.workbench.web.access.company.roles import RoleMapping
from satc.workbench.web.access.passwords import has_password, no_password


class RefusedError(SatcError):
    """The company's login says who somebody is, but this person may not use the workbench."""


class ProviderError(SatcError):
    """The provider of OpenID Connect cannot be reached, or does not answer as it should."""


def company_user(
    store: Store,
    name: str,
    groups: Collection[str],
    roles: RoleMapping,
    subject: str | None = None,
) -> User:
    """Return the user of a person who has logged in at the company; add them if they are new.

    `subject` is their account at a provider of OpenID Connect. It stays that of the user: another
    account cannot take over the name, and a user who has a password must give it up first. A proxy
    knows no accounts, so its names are believed.

    Raises
    ------
    RefusedError
        If the person has no role, or the name cannot be used.
    """
    role = roles.role_of(groups)
    user = _known(store, name, subject)
    if role is None and (user is None or roles.decides):
        raise RefusedError(Message("server.no_role", name=name))
    if user is None:
        return _add(store, name, role or "", subject)
    if roles.decides and role is not None and role != user.role:
        users.change_user(store, user.name, role=role)
        user = user._replace(role=role)
    return user


def _known(store: Store, name: str, subject: str | None) -> User | None:
    if subject is None:
        return users.find_user(store, name)
    if (linked := users.find_by_subject(store, subject)) is not None:
        return linked
    user = users.find_user(store, name)
    if user is None:
        return None
    if user.subject is not None:
        raise RefusedError(Message("server.name_of_another_account", name=name))
    if has_password(user.password):
        raise RefusedError(Message("server.name_has_password", name=name))
    users.link_user(store, name, subject)
    return user._replace(subject=subject)


def _add(store: Store, name: str, role: str, subject: str | None) -> User:
    try:
        check_name(name)
        users.add_user(store, name, role, no_password(), subject=subject)
    except ValueError as error:
        raise RefusedError(*error.args) from None
    except DataError as error:  # two requests may add the same person at the same time
        if (user := users.find_user(store, name)) is not None and user.subject == subject:
            return user
        raise RefusedError(*error.args) from None
    user = users.find_user(store, name)
    if user is None:
        raise RefusedError(Message("manage.no_such_person", name=name))
    return user
