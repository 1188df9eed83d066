"""The task of a new project: one label per document, or any number of labels."""

from __future__ import annotations

from satc.inputs import MULTI_LABEL, task_of
from satc.training import Training


def inferred_task(training: Training | None) -> str:
    """Return the task that the training labels suggest; without any, multi-label."""
    return MULTI_LABEL if training is None else task_of(training.labels)
