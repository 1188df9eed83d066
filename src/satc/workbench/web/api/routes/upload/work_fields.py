"""The fields of an upload that say how people work: title, guidelines, shares, end, costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Form

from satc.workbench.model.new_project.setting_values import read_costs, read_rule, read_share
from satc.workbench.model.settings import Settings
from satc.workbench.web.api.models.common import StorableText

Share = Annotated[str, Form(max_length=20, description="A share such as 10% or 0.1.")]


@dataclass(frozen=True)
class EndFields:
    """When the work ends and what it costs; the checks are those of `satc create`."""

    cap: Annotated[
        int, Form(ge=1, le=1_000_000, description="Most labels that a document can lack.")
    ] = Settings.cap
    stop: Annotated[
        StorableText, Form(max_length=1_000, description="Rule for the end of the work.")
    ] = Settings.stop
    price: Annotated[float | None, Form(ge=0, description="Price of an hour of work.")] = None
    reading_time: Annotated[
        StorableText, Form(max_length=500, description="'length', or a column with minutes.")
    ] = Settings.reading
    error_costs: Annotated[
        str | None,
        Form(max_length=50, description="Costs of a false positive and a false negative: 1,5."),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return the fields of `Settings`."""
        costs = self.error_costs
        return {
            "cap": self.cap,
            "stop": read_rule(self.stop, "stop"),
            "price": self.price,
            "reading": self.reading_time,
            "error_costs": read_costs(costs, "error_costs") if costs else None,
        }


@dataclass(frozen=True)
class WorkFields:
    """What people see, and how they share the work; the checks are those of `satc create`."""

    end: Annotated[EndFields, Depends()]
    title: Annotated[StorableText, Form(max_length=500)] = ""
    guidelines: Annotated[StorableText, Form(max_length=100_000)] = ""
    overlap: Share = f"{Settings.overlap:g}"
    blind: Share = f"{Settings.blind:g}"
    audit: Share = f"{Settings.audit:g}"
    lease: Annotated[
        int, Form(ge=1, le=1_000_000, description="Minutes that a document is kept for a person.")
    ] = Settings.lease_seconds // 60
    seed: Annotated[int, Form(ge=0, lt=2**32)] = Settings.seed

    def settings(self, name: str) -> dict[str, Any]:
        """Return the fields of `Settings`; the title is the name of the project by default."""
        return {
            **self.end.settings(),
            "title": self.title or name,
            "guidelines": self.guidelines,
            "overlap": read_share(self.overlap, "overlap"),
            "blind": read_share(self.blind, "blind"),
            "audit": read_share(self.audit, "audit"),
            "lease_seconds": 60 * self.lease,
            "seed": self.seed,
        }
