"""Stored predictions of any kind as stored scores, by expressions of the engine."""

from __future__ import annotations

from satc.scale.predictions.opening import stored_predictions

__all__ = ["stored_predictions"]
