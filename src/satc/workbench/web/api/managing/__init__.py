"""Routes for managers: open documents, the overview, settings, people and webhooks."""

from __future__ import annotations

from fastapi import APIRouter

from satc.workbench.web.api.managing import (
    code_book,
    leases,
    overview,
    people,
    settings,
    webhooks,
)

router = APIRouter()
for resource in (leases, overview, settings, code_book, people, webhooks):
    router.include_router(resource.router)
