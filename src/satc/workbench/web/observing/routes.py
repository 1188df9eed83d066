"""The routes for administrators: `/healthz`, `/readyz`, and `/metrics` for managers."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from satc.workbench.web.api.dependencies import CurrentManager
from satc.workbench.web.observing.exposition import metrics_response
from satc.workbench.web.observing.health import healthy, readiness_response
from satc.workbench.web.observing.observation import Observation
from satc.workbench.web.observing.paths import HEALTH, METRICS, READY

router = APIRouter(include_in_schema=False)


@router.get(HEALTH)
async def health() -> Response:
    """Answer that the process answers."""
    return healthy()


@router.get(READY)
async def ready(request: Request) -> Response:
    """Answer whether all projects have been opened and the store can be used."""
    return await readiness_response(_observation(request).readiness)


@router.get(METRICS)
async def metrics(request: Request, user: CurrentManager) -> Response:
    """Return the metrics."""
    return await metrics_response(_observation(request))


def _observation(request: Request) -> Observation:
    observation: Observation = request.app.state.observation
    return observation
