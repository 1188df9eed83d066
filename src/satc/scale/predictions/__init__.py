"""Stored predictions of any kind as stored scores, by expressions of the engine."""

from __future__ import annotations

from satc.scale.predictions.opening import KINDS, stored_predictions

__all__ = ["KINDS", "stored_predictions"]
