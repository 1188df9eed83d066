"""Short ways to the two routes that people use for every document: next, and decision.

FastAPI compares the path of a request with all routes, and solves their dependencies anew for each
request, which takes longer than the work of these two routes. So they are tried first, by a pattern
each, and call their dependencies directly. A request that is not as expected is left to FastAPI,
which knows what to answer: both ways give the same answers.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.datastructures import URLPath
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, NoMatchFound, compile_path
from starlette.types import Message, Receive, Scope, Send

from satc.workbench.review.open_projects import OpenProject, OpenProjects
from satc.workbench.web.addresses import own_path
from satc.workbench.web.api.dependencies import MAX_LEASE_ID, identify
from satc.workbench.web.api.models.decisions import DecisionIn
from satc.workbench.web.api.routes.assignments import next_document, submit
from satc.workbench.web.language import messages_for

_PROJECT = "/api/v1/projects/{name}"
_JSON = "application/json"
_LEFT = "satc.left_to_fastapi"  # the key in the scope of a request
Answer = Callable[[Request, OpenProject], Awaitable[BaseModel | None]]


class ShortRoute(BaseRoute):
    """Answers POST requests to one path; `answer` returns None if FastAPI must answer."""

    def __init__(self, app: FastAPI, path: str, answer: Answer) -> None:
        self.path = path
        self._pattern, _, _ = compile_path(path)
        self._app = app
        self._answer = answer

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a request is for this route."""
        if scope["type"] != "http" or scope["method"] != "POST" or _LEFT in scope:
            return Match.NONE, {}
        found = self._pattern.match(own_path(scope))
        if found is None:
            return Match.NONE, {}
        return Match.FULL, {"path_params": found.groupdict(), "route": self}

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        """A short way has no name: the addresses of routes are those of FastAPI's."""
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or leave it to FastAPI."""
        projects: OpenProjects = self._app.state.open_projects
        project = projects.find(scope["path_params"]["name"])
        received = ReceivedMessages(receive)
        if project is not None:
            answer = await self._answer(Request(scope, received, send), project)
            if answer is not None:
                await _response(answer)(scope, receive, send)
                return
        scope[_LEFT] = True
        await self._app.router.app(scope, received.again, send)


class ReceivedMessages:
    """Receives the messages of a request, and can give them once more."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._messages: deque[Message] = deque()

    async def __call__(self) -> Message:
        """Receive a message."""
        message = await self._receive()
        self._messages.append(message)
        return message

    async def again(self) -> Message:
        """Return the messages so far, one after the other, and then receive further ones."""
        return self._messages.popleft() if self._messages else await self._receive()


def short_routes(app: FastAPI) -> list[BaseRoute]:
    """Return the short ways to the routes of an application."""
    return [
        ShortRoute(app, f"{_PROJECT}/next", _next),
        ShortRoute(app, f"{_PROJECT}/leases/{{lease}}/decision", _decision),
    ]


def _response(answer: BaseModel) -> Response:
    content = answer.__pydantic_serializer__.to_json(answer, by_alias=True)
    return Response(content, media_type=_JSON)


async def _next(request: Request, project: OpenProject) -> BaseModel | None:
    user = await identify(request, request.app.state.authenticator)
    return await next_document(user, project, messages_for(request))


async def _decision(request: Request, project: OpenProject) -> BaseModel | None:
    sent, lease = await _sent(request), request.path_params["lease"]
    if sent is None or len(lease) > MAX_LEASE_ID:
        return None
    user = await identify(request, request.app.state.authenticator)
    return await submit(user, project, lease, sent)


async def _sent(request: Request) -> DecisionIn | None:
    """Return the decision in the body of a request; None if there is none."""
    if request.headers.get("content-type") != _JSON:
        return None
    try:
        return DecisionIn.model_validate(json.loads(await request.body()))
    except (ValueError, RecursionError):  # no JSON, or not the JSON of a decision
        return None
