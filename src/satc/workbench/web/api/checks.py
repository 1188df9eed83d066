"""Checks that several routes make before they act."""

from __future__ import annotations

from fastapi import HTTPException

from satc.workbench.messages import Message
from satc.workbench.model.label_count import label_count_error
from satc.workbench.review.desk import Desk


def check_labels(desk: Desk, labels: list[int]) -> list[int]:
    """Return the labels if each is the number of a class; else answer with status 422.

    In a single-label project there must be exactly one.
    """
    n_classes = len(desk.project.classes)
    wrong = next((label for label in labels if label >= n_classes), None)
    if wrong is not None:
        raise HTTPException(
            422, f"labels must be classes, 0 to {n_classes - 1}, but one is {wrong}"
        )
    if (error := label_count_error(desk.project.settings.task, labels)) is not None:
        raise HTTPException(422, error)
    return labels


def check_not_blind(desk: Desk, index: int, user: str) -> None:
    """Answer with status 403 if the predictions of a document are hidden from a user."""
    if is_blind(desk, index, user):
        raise HTTPException(403, Message("server.predictions_hidden"))


def is_blind(desk: Desk, index: int, user: str) -> bool:
    """Whether a user has this document open with the predictions hidden."""
    return any(held.document == index and held.shown.is_blind for held in desk.leases.of(user))
