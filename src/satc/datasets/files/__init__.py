"""Documents, labels and scores in users' own files, and tables of results written back.

Documents: CSV, TSV, JSON lines (each also with ``.gz``) or Parquet. Labels: such a file, or an
indicator matrix in NumPy's or SciPy's format. Scores: NumPy's format, or Parquet in long form.
Guidelines are a text, weights of classes a JSON object.
"""

from __future__ import annotations

from satc.datasets.files.documents import Documents, iter_documents, read_documents
from satc.datasets.files.matrices import ScoreTable, read_labels, read_scores
from satc.datasets.files.tables import write_table
from satc.datasets.files.texts import read_class_weights, read_text
from satc.datasets.files.training import TrainingTable, read_training

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
