"""Change the settings of a project: which of them can change, and the checks of a change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from satc.workbench.model.settings import Settings

# The order in which people see them.
CHANGEABLE = ("title", "guidelines", "overlap", "blind", "lease_seconds", "audit", "stop", "price")


def changed_settings(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return the settings with changes; the command line and the page both use this function.

    >>> changed_settings(Settings("Claims"), {"overlap": 0.1, "stop": "budget(hours=8)"}).overlap
    0.1

    Raises
    ------
    ValueError
        If a value cannot be used, or if a setting is fixed since the project was made.
    """
    fixed = [name for name in changes if name not in CHANGEABLE]
    if fixed:
        raise ValueError(
            f"{fixed[0]} cannot be changed after the project was made; the settings that can "
            f"change are {', '.join(CHANGEABLE)}"
        )
    if "title" in changes and not str(changes["title"]).strip():
        raise ValueError("title must not be empty")
    if changes.get("stop"):
        changes = {**changes, "stop": canonical_rule(changes["stop"])}
    return replace(settings, **changes)


def canonical_rule(text: str) -> str:
    """Return the canonical form of a stopping rule; "" means no rule.

    >>> canonical_rule(" budget( hours = 8 ) ")
    'budget(hours=8)'
    """
    from satc.assurance.stopping_rules import parse_rule

    try:
        return text and repr(parse_rule(text))
    except TypeError as error:
        raise ValueError(str(error)) from error
