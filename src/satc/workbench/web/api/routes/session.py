"""Route for the user who sends the request."""

from __future__ import annotations

from fastapi import APIRouter

from satc.workbench.web.api.dependencies import CurrentAuthenticator, CurrentUser
from satc.workbench.web.api.models.session import Me

router = APIRouter()


@router.get("/me")
def me(user: CurrentUser, authenticator: CurrentAuthenticator) -> Me:
    """Return your name and role, and the CSRF token of your session."""
    return Me(
        name=user.name,
        role=user.role,
        csrf_token=authenticator.csrf_token(user.session) if user.session else "",
        single_user=authenticator.single_user,
    )
