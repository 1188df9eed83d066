"""Predictions of any classifier, of a language model or of people, from users' files.

Files come in long form, in wide form, as labels with or without confidences, as votes, or as
matrices. `read_predictions` finds the form and the kind, and returns scores.
"""

from __future__ import annotations

from satc.files.predictions.class_files import read_classes, read_thresholds
from satc.files.predictions.kinds import KINDS
from satc.files.predictions.prediction_set import (
    PredictionSet,
    read_prediction_set,
    read_with_matrices,
)
from satc.files.predictions.reading import read_predictions
from satc.files.predictions.table import PredictionTable

__all__ = [
    "KINDS",
    "PredictionSet",
    "PredictionTable",
    "read_classes",
    "read_prediction_set",
    "read_predictions",
    "read_thresholds",
    "read_with_matrices",
]
