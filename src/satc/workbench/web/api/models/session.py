"""Body of `/me`."""

from __future__ import annotations

from pydantic import BaseModel


class Me(BaseModel):
    """The user who sends the request."""

    name: str
    role: str
    csrf_token: str
    single_user: bool
