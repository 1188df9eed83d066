"""The former home of `satc.files`: the same names, for programs that import them from here."""

from __future__ import annotations

from satc.files import (
    Documents,
    ScoreTable,
    TrainingTable,
    iter_documents,
    read_class_weights,
    read_documents,
    read_labels,
    read_scores,
    read_text,
    read_training,
    write_table,
)

__all__ = [
    "Documents",
    "ScoreTable",
    "TrainingTable",
    "iter_documents",
    "read_class_weights",
    "read_documents",
    "read_labels",
    "read_scores",
    "read_text",
    "read_training",
    "write_table",
]
