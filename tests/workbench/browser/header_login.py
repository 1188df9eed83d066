"""Login by a header: nginx names the user of each request, as the login of a company does.

A cookie takes the place of the session there. Where a project has no users, everybody who comes is
one person, a manager.
"""

from __future__ import annotations

from playwright.sync_api import Page

from satc.workbench.store import Store
from satc.workbench.store.people.users import list_users
from satc.workbench.web.access.authentication import Authenticator

HEADER = "X-Forwarded-User"
COOKIE = "company_user"
OWNER = "owner"


def authenticator(store: Store) -> Authenticator:
    """Return the authenticator of a server that believes the header."""
    from satc.workbench.web.access.company.roles import RoleMapping
    from satc.workbench.web.access.company.settings import HeaderLogin, LoginSettings

    roles = RoleMapping(default="annotator" if list_users(store) else "manager")
    return Authenticator(store, LoginSettings(HeaderLogin(HEADER), roles=roles))


def changes(store: Store) -> dict[str, str]:
    """Return what nginx does to name the user: other parts of its configuration."""
    otherwise = "" if list_users(store) else OWNER
    named = f'map $cookie_{COOKIE} $company_user {{ "" "{otherwise}"; default $cookie_{COOKIE}; }}'
    return {
        "server_tokens off;": f"server_tokens off; {named}",
        f'proxy_set_header {HEADER} "";': f"proxy_set_header {HEADER} $company_user;",
    }


def log_in(page: Page, url: str, name: str) -> None:
    """Log somebody in at the company."""
    page.context.add_cookies([{"name": COOKIE, "value": name, "url": url}])
