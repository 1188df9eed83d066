"""How people log in: by passwords, by the header of a proxy, by OpenID Connect."""

from __future__ import annotations

from dataclasses import dataclass, field

from satc.workbench.web.access.company.roles import RoleMapping


@dataclass(frozen=True)
class HeaderLogin:
    """The headers by which a trusted proxy says who sends a request, and their groups."""

    user: str
    groups: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all headers that only a trusted proxy may send."""
        return (self.user,) if self.groups is None else (self.user, self.groups)


@dataclass(frozen=True)
class OpenIdLogin:
    """A provider of OpenID Connect, and this server as its client.

    Attributes
    ----------
    issuer
        Address of the provider, as its tokens name it.
    client_id, client_secret
        What the provider knows this server by; None: a public client, which PKCE protects.
    label
        Name of the provider on the login page.
    name_claim, role_claim
        The claims that hold the name of a person and their groups.
    scope
        What the provider is asked for; it must contain `openid`.
    """

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    label: str = "OpenID Connect"
    name_claim: str = "preferred_username"
    role_claim: str = "groups"
    scope: str = "openid profile email"


@dataclass(frozen=True)
class LoginSettings:
    """All ways to log in to a server.

    Attributes
    ----------
    header, openid
        The company's login; None where it is not used.
    roles
        The roles of people who come by the company's login.
    passwords
        Whether names and passwords are accepted, and invitations, which set passwords.
    logout_address
        Where the company's login ends; None if that is not known.
    """

    header: HeaderLogin | None = None
    openid: OpenIdLogin | None = None
    roles: RoleMapping = field(default_factory=RoleMapping)
    passwords: bool = True
    logout_address: str | None = None

    @property
    def has_company_login(self) -> bool:
        """Whether people come by another login than ours."""
        return self.header is not None or self.openid is not None
