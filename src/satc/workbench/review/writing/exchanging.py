"""Prepare another engine while people go on: it replays their decisions, all but the last few."""

from __future__ import annotations

from satc.validation import Validation
from satc.workbench.review.desk import Desk

_FEW = 3  # decisions that are replayed while people wait
_ROUNDS = 20  # at most, before the engine is exchanged


def catch_up(engine: Validation, desk: Desk) -> None:
    """Replay the decisions of the desk until only a few have come meanwhile."""
    for _ in range(_ROUNDS):
        if engine.catch_up(desk.validation) <= _FEW:
            return
