"""Options of `satc serve` for the company's login: a header of a proxy, or OpenID Connect."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

if TYPE_CHECKING:
    from satc.workbench.web.access.company.settings import (
        HeaderLogin,
        LoginSettings,
        OpenIdLogin,
    )


@dataclass(frozen=True, kw_only=True)
class LoginOptions:
    """How people log in, apart from names and passwords."""

    auth_header: Annotated[
        str | None,
        typer.Option(
            help="Header by which a trusted proxy names the user, as X-Forwarded-User; needs "
            "--trusted-proxy."
        ),
    ] = None
    auth_groups_header: Annotated[
        str | None,
        typer.Option(help="Header by which the proxy names the user's groups, with commas."),
    ] = None
    oidc_issuer: Annotated[
        str | None,
        typer.Option(help="Address of a provider of OpenID Connect, by which people log in."),
    ] = None
    oidc_client_id: Annotated[
        str | None, typer.Option(help="Id of this server at the provider.")
    ] = None
    oidc_client_secret_file: Annotated[
        Path | None,
        typer.Option(
            help="File with the secret of this server at the provider; or the variable "
            "SATC_OIDC_CLIENT_SECRET."
        ),
    ] = None
    oidc_label: Annotated[str, typer.Option(help="Name of the provider on the login page.")] = (
        "OpenID Connect"
    )
    oidc_name_claim: Annotated[str, typer.Option(help="Claim that holds the name of the user.")] = (
        "preferred_username"
    )
    oidc_role_claim: Annotated[
        str, typer.Option(help="Claim that holds the groups of the user, for --role-mapping.")
    ] = "groups"
    oidc_scope: Annotated[
        str, typer.Option(help="Scopes to ask the provider for, separated by spaces.")
    ] = "openid profile email"
    role_mapping: Annotated[
        list[str] | None,
        typer.Option(
            help="Role of a group of the company's login, as leads=manager; can be repeated.",
            show_default=False,
        ),
    ] = None
    default_role: Annotated[
        str,
        typer.Option(
            help="Role of people of the company's login who are in no such group: annotator, "
            "manager, or none, which refuses them."
        ),
    ] = "annotator"
    passwords: Annotated[
        bool, typer.Option(help="Accept names and passwords, and invite people by links.")
    ] = True
    logout_address: Annotated[
        str | None,
        typer.Option(help="Address that ends the company's login, as /oauth2/sign_out."),
    ] = None


def login_settings(options: LoginOptions, *, has_trusted_proxy: bool) -> LoginSettings:
    """Return the ways to log in that the options describe.

    Raises
    ------
    typer.BadParameter
        If options do not fit together.
    """
    from satc.workbench.web.access.company.roles import read_mapping
    from satc.workbench.web.access.company.settings import LoginSettings

    header, openid = _header(options, has_trusted_proxy), _openid(options)
    try:
        roles = read_mapping(options.role_mapping or [], options.default_role)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if roles.decides and openid is None and (header is None or header.groups is None):
        raise typer.BadParameter("--role-mapping needs --auth-groups-header or --oidc-issuer")
    settings = LoginSettings(header, openid, roles, options.passwords, options.logout_address)
    if not options.passwords and not settings.has_company_login:
        raise typer.BadParameter("--no-passwords needs --auth-header or --oidc-issuer")
    return settings


def _header(options: LoginOptions, has_trusted_proxy: bool) -> HeaderLogin | None:
    from satc.workbench.web.access.company.settings import HeaderLogin

    if options.auth_header is None:
        if options.auth_groups_header is not None:
            raise typer.BadParameter("--auth-groups-header needs --auth-header")
        return None
    if not has_trusted_proxy:
        raise typer.BadParameter(
            "--auth-header needs --trusted-proxy or --uds: a header of anybody else is not believed"
        )
    return HeaderLogin(options.auth_header, options.auth_groups_header)


def _openid(options: LoginOptions) -> OpenIdLogin | None:
    from satc.workbench.web.access.company.settings import OpenIdLogin

    if (options.oidc_issuer is None) != (options.oidc_client_id is None):
        raise typer.BadParameter("--oidc-issuer and --oidc-client-id must be given together")
    if options.oidc_issuer is None or options.oidc_client_id is None:
        return None
    _check_issuer(options.oidc_issuer)
    if "openid" not in options.oidc_scope.split():
        raise typer.BadParameter(f"--oidc-scope must contain openid, but is {options.oidc_scope!r}")
    return OpenIdLogin(
        options.oidc_issuer,
        options.oidc_client_id,
        _secret(options.oidc_client_secret_file),
        options.oidc_label,
        options.oidc_name_claim,
        options.oidc_role_claim,
        options.oidc_scope,
    )


def _check_issuer(issuer: str) -> None:
    """Refuse a provider whose answers anybody on the way could change."""
    from satc.workbench.web.listening import is_loopback

    found = urlsplit(issuer)
    if found.scheme == "https" or (found.scheme == "http" and is_loopback(found.hostname or "")):
        return
    raise typer.BadParameter(f"--oidc-issuer must begin with https://, but is {issuer!r}")


def _secret(file: Path | None) -> str | None:
    """Return the client secret from a file or a variable; None for a public client."""
    if file is None:
        return os.environ.get("SATC_OIDC_CLIENT_SECRET") or None
    found = file.read_text(encoding="utf-8").strip()
    if not found:
        raise typer.BadParameter(f"{file} must hold the client secret, but is empty")
    return found
