"""The page on which managers invite people, change their roles, and remove them."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from satc.workbench.web.access.passwords import MIN_LENGTH
from satc.workbench.web.api.dependencies import CurrentAuthenticator, CurrentManager
from satc.workbench.web.rendering import render_page

router = APIRouter()


@router.get("/people")
def people(request: Request, user: CurrentManager, authenticator: CurrentAuthenticator) -> Response:
    """Show the people who may log in; a server without users says how to work as a team."""
    return render_page(
        request,
        authenticator,
        user,
        "people.html",
        areas=("common", "manage"),
        min_length=MIN_LENGTH,
        passwords=authenticator.login.passwords,
        groups_decide=authenticator.login.roles.decides,
    )
