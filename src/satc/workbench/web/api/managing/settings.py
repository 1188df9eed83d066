"""Routes for the settings of a project: read all of them, change those that can change."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from satc.workbench.model.setting_changes import CHANGEABLE
from satc.workbench.model.settings import Settings
from satc.workbench.web.api.dependencies import CurrentManager, CurrentProject
from satc.workbench.web.api.models.common import RequestModel, StorableText

router = APIRouter(prefix="/projects/{name}")

Share = Annotated[float, Field(allow_inf_nan=False, description="A share from 0 to 1.")]


class SettingsOut(BaseModel):
    """The settings that can change, and those that are fixed since the project was made."""

    changeable: dict[str, Any]
    fixed: dict[str, Any]
    has_code_book: bool


class SettingsIn(RequestModel):
    """New values of settings; a field that is not sent keeps its value."""

    title: Annotated[StorableText, Field(max_length=500)] = ""
    guidelines: Annotated[StorableText, Field(max_length=100_000)] = ""
    overlap: Share = Settings.overlap
    blind: Share = Settings.blind
    lease_seconds: Annotated[int, Field(ge=60, le=2**31)] = Settings.lease_seconds
    audit: Share = Settings.audit
    stop: Annotated[StorableText, Field(max_length=1000)] = Settings.stop
    price: Annotated[float | None, Field(allow_inf_nan=False)] = Settings.price

    def changes(self) -> dict[str, Any]:
        """Return the values that were sent."""
        return {name: getattr(self, name) for name in self.model_fields_set}


@router.get("/settings")
def settings(user: CurrentManager, project: CurrentProject) -> SettingsOut:
    """Return all settings of a project."""
    return settings_response(project.desk.project.settings, project.desk.project.book is not None)


@router.patch("")
def change(user: CurrentManager, project: CurrentProject, sent: SettingsIn) -> SettingsOut:
    """Change settings of a project; the changes are in force at once."""
    changed = project.desk.change_settings(sent.changes())
    return settings_response(changed.settings, changed.book is not None)


def settings_response(settings: Settings, has_code_book: bool) -> SettingsOut:
    """Show settings; the larger set, which names files of the server, is not shown."""
    values = settings.as_dict()
    del values["stored"]
    changeable = {name: values.pop(name) for name in CHANGEABLE}
    return SettingsOut(changeable=changeable, fixed=values, has_code_book=has_code_book)
