"""Routes for the webhooks of a project: list, add, remove and test them, see what was sent."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from pydantic import BaseModel, Field

from satc.workbench.messages import Message
from satc.workbench.model.webhooks.address import MAX_LENGTH
from satc.workbench.review.webhooks.sender import send_test
from satc.workbench.review.webhooks.service import Webhooks
from satc.workbench.store.webhooks.addresses import (
    Webhook,
    add_webhook,
    count_waiting,
    find_webhook,
    list_webhooks,
    remove_webhook,
)
from satc.workbench.store.webhooks.outbox import recent_deliveries
from satc.workbench.web.api.dependencies import CurrentManager, CurrentProject
from satc.workbench.web.api.models.common import Nothing, RequestModel, StorableText

router = APIRouter(prefix="/projects/{name}/webhooks")
Kind = Literal["decision", "finished", "alarm"]


class WebhookOut(BaseModel):
    """A webhook; `failing_since` is null while its messages are taken."""

    key: int
    url: str
    events: list[str]
    created_by: str
    created_at: str
    n_waiting: int
    failing_since: str | None


class WebhooksOut(BaseModel):
    """The webhooks of a project."""

    webhooks: list[WebhookOut]


class WebhookIn(RequestModel):
    """A new webhook: where which messages are sent."""

    url: Annotated[StorableText, Field(min_length=1, max_length=MAX_LENGTH)]
    events: Annotated[list[Kind], Field(min_length=1, max_length=3)]


class NewWebhook(BaseModel):
    """A webhook that was added; its secret is shown only once."""

    key: int
    secret: str


class OutcomeOut(BaseModel):
    """The result of an attempt: the status of the answer, or why there is none."""

    delivered: bool
    status: int | None
    error: str | None


class DeliveryOut(BaseModel):
    """A message; `status` and `error` are those of the last attempt."""

    id: str
    type: str
    state: str
    created_at: str
    tried_at: str | None
    attempts: int
    status: int | None
    error: str | None


class DeliveriesOut(BaseModel):
    """The last messages to a webhook, the newest first."""

    deliveries: list[DeliveryOut]


async def get_webhooks(request: Request) -> Webhooks:
    """Return the webhooks of the server."""
    webhooks: Webhooks = request.app.state.webhooks
    return webhooks


async def get_key(
    key: Annotated[int, Path(ge=0, lt=2**31, description="Key of the webhook.")],
) -> int:
    """Return the key of the path."""
    return key


CurrentWebhooks = Annotated[Webhooks, Depends(get_webhooks)]
WebhookKey = Annotated[int, Depends(get_key)]


@router.get("")
def webhooks(user: CurrentManager, project: CurrentProject) -> WebhooksOut:
    """List the webhooks of a project, without their secrets."""
    store, key = project.desk.store, project.desk.project.key
    return WebhooksOut(
        webhooks=[
            WebhookOut(
                key=one.key,
                url=one.url,
                events=list(one.kinds),
                created_by=one.created_by,
                created_at=one.created_at,
                n_waiting=count_waiting(store, one.key),
                failing_since=one.failing_since,
            )
            for one in list_webhooks(store, key)
        ]
    )


@router.post("", status_code=201)
def add(
    user: CurrentManager, project: CurrentProject, service: CurrentWebhooks, sent: WebhookIn
) -> NewWebhook:
    """Add a webhook, and return its secret."""
    service.post.check(sent.url)
    desk = project.desk
    added = add_webhook(desk.store, desk.project.key, sent.url, sent.events, user.name)
    return NewWebhook(key=added.key, secret=added.secret)


@router.delete("/{key}")
def remove(user: CurrentManager, project: CurrentProject, key: WebhookKey) -> Nothing:
    """Remove a webhook, with the messages that wait for it."""
    if not remove_webhook(project.desk.store, project.desk.project.key, key):
        raise HTTPException(404, Message("webhooks.no_such_webhook", key=str(key)))
    return Nothing()


@router.post("/{key}/test")
def try_out(
    user: CurrentManager, project: CurrentProject, service: CurrentWebhooks, key: WebhookKey
) -> OutcomeOut:
    """Send a test message now; return what the receiver answers."""
    found = _find(project, key)
    outcome = send_test(service.post, found, project.desk.project.name)
    return OutcomeOut(delivered=outcome.is_success, status=outcome.status, error=outcome.error)


@router.get("/{key}/deliveries")
def deliveries(user: CurrentManager, project: CurrentProject, key: WebhookKey) -> DeliveriesOut:
    """List the last messages to a webhook."""
    found = recent_deliveries(project.desk.store, _find(project, key).key)
    return DeliveriesOut(
        deliveries=[
            DeliveryOut(
                id=one.id,
                type=one.kind,
                state=one.state,
                created_at=one.created_at,
                tried_at=one.tried_at,
                attempts=one.n_tried,
                status=one.status,
                error=one.error,
            )
            for one in found
        ]
    )


def _find(project: CurrentProject, key: int) -> Webhook:
    found = find_webhook(project.desk.store, project.desk.project.key, key)
    if found is None:
        raise HTTPException(404, Message("webhooks.no_such_webhook", key=str(key)))
    return found
