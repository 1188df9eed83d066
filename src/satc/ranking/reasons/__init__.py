"""Reasons beside the contributions of classes: who says what, and similar labelled documents."""
