"""The pages of managers for one project: the overview, the settings and the webhooks."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from satc.workbench.messages import Message
from satc.workbench.model.settings import Settings
from satc.workbench.model.webhooks.messages import KINDS
from satc.workbench.web.api.dependencies import CurrentManager
from satc.workbench.web.api.routes.export import DOWNLOADS, downloads
from satc.workbench.web.pages.project_page import CurrentPage

router = APIRouter()
# Settings that are fixed, each with the reason; in the order of the page.
FIXED = {
    "task": "labels",
    "decide": "labels",
    "prior_shift": "order",
    "measure": "labels",
    "method": "order",
    "class_weights": "order",
    "error_costs": "order",
    "reading": "order",
    "closed": "labels",
    "cap": "cap",
    "seed": "seed",
    "learner": "labels",
    "id_column": "files",
    "text_column": "files",
}


@router.get("/p/{name}/manage")
def manage(user: CurrentManager, page: CurrentPage) -> Response:
    """Show the overview of a project."""
    formats = {name: name.replace("-", "_") if name in DOWNLOADS else None for name in downloads()}
    return page.render("manage.html", "manage", formats=formats)


@router.get("/p/{name}/settings")
def settings(user: CurrentManager, page: CurrentPage) -> Response:
    """Show the settings of a project."""
    given = page.project.settings
    fixed = [
        {"name": name, "value": fixed_value(given, name), "reason": reason}
        for name, reason in FIXED.items()
    ]
    return page.render("settings.html", "manage", settings=given, fixed=fixed)


@router.get("/p/{name}/webhooks")
def webhooks(user: CurrentManager, page: CurrentPage) -> Response:
    """Show the webhooks of a project."""
    return page.render("webhooks.html", "manage", "webhooks", kinds=KINDS)


def fixed_value(settings: Settings, name: str) -> Message | str:
    """Return the value of a fixed setting, for people."""
    if name == "task":
        kind = "single" if settings.is_single_label else "multi"
        return Message(f"manage.task_{kind}")
    if name == "decide":
        return Message(f"manage.decided_by_{settings.decide}", measure=settings.measure_name)
    if name == "measure":
        return settings.measure_name
    value: Any = getattr(settings, name)
    if isinstance(value, bool):
        return Message("manage.yes") if value else Message("manage.no")
    if value in (None, ""):
        return Message("manage.none")
    if isinstance(value, tuple):
        return ", ".join(f"{one:g}" for one in value)
    return str(value)
