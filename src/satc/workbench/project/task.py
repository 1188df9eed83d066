"""The task of a new project: one label per document, or any number of labels."""

from __future__ import annotations

from satc.inputs import MULTI_LABEL, task_of
from satc.texts.predictions_source import PreparedPredictions
from satc.texts.source import PreparedSource


def inferred_task(source: PreparedSource) -> str:
    """Return the task that predictions or training labels suggest; else multi-label."""
    if isinstance(source, PreparedPredictions):
        return source.task
    return MULTI_LABEL if source.training is None else task_of(source.training.labels)
