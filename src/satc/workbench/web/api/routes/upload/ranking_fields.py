"""The fields of an upload that say how documents are ranked and how labels are decided on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Form

from satc.texts.wanted_task import WantedTask
from satc.workbench.model.settings import Settings, default_decide
from satc.workbench.web.api.models.common import StorableText
from satc.workbench.web.api.models.projects import Task


@dataclass(frozen=True)
class RankingFields:
    """Method, measure, decision and task."""

    method: Annotated[str, Form(max_length=50)] = Settings.method
    measure: Annotated[str, Form(max_length=50)] = Settings.measure
    average: Annotated[str, Form(max_length=10)] = Settings.average
    decide: Annotated[
        str | None,
        Form(
            max_length=10,
            description="sign or measure; by default measure with train, sign with scores.",
        ),
    ] = None
    prior_shift: Annotated[
        bool,
        Form(
            description="Correct the probabilities for how frequent the classes are among the "
            "documents now."
        ),
    ] = Settings.prior_shift
    task: Annotated[
        Task | None,
        Form(
            description="By default, single-label if every training document has exactly one label."
        ),
    ] = None
    none_class: Annotated[
        StorableText | None,
        Form(min_length=1, max_length=200, description="Class of documents without a label."),
    ] = None

    def settings(self, *, from_texts: bool) -> dict[str, Any]:
        """Return the fields of `Settings`."""
        return {
            "method": self.method,
            "measure": self.measure,
            "average": self.average,
            "decide": self.decide or default_decide(from_texts=from_texts),
            "prior_shift": self.prior_shift,
            "task": self.task or Settings.task,
        }

    def wanted(self) -> WantedTask:
        """Return the task that was asked for; refuse fields that contradict each other."""
        name = None if self.none_class is None else self.none_class.strip()
        if name is not None and self.task == "multi-label":
            raise ValueError("task multi-label and none_class must not be given together")
        if name == "":
            raise ValueError("none_class must be a name, but is empty")
        return WantedTask(self.task, name)
