"""Stored predictions of any kind as stored scores, by expressions of the engine."""

from __future__ import annotations

from satc.scale.predictions.columns import classes_of_predictions, kind_of_columns
from satc.scale.predictions.known import fetch_known, without_documents
from satc.scale.predictions.opening import KINDS, stored_predictions

__all__ = [
    "KINDS",
    "classes_of_predictions",
    "fetch_known",
    "kind_of_columns",
    "stored_predictions",
    "without_documents",
]
