"""Who sends a request: the token, the cookie and the headers of a proxy, taken from the request."""

from __future__ import annotations

from fastapi.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from satc.workbench.web.access.authentication import Authenticator, Identity
from satc.workbench.web.access.company.header import proxied_user

PROJECT = "name"  # the parameter of a path that names a project


def identify_request(request: HTTPConnection) -> Identity | None:
    """Return the user of a request; None if the request does not prove who sends it.

    If the path names a project, the role of the user is that in the project.

    Raises
    ------
    RefusedError
        If a proxy names a person who may not use the workbench.
    """
    authenticator: Authenticator = request.app.state.authenticator
    header = authenticator.login.header
    return authenticator.identify(
        request.headers.get("authorization", ""),
        request.cookies.get(authenticator.cookie_name, ""),
        request.path_params.get(PROJECT),
        None if header is None else proxied_user(request, header),
    )


async def identify_sender(request: HTTPConnection) -> Identity | None:
    """Do the same on the event loop: where people may be added, a thread waits for the disk."""
    authenticator: Authenticator = request.app.state.authenticator
    if authenticator.login.header is None:
        return identify_request(request)
    return await run_in_threadpool(identify_request, request)
