"""Calibration: scores to probabilities (Sections 4.4 and 6.2)."""
