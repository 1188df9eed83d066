"""Read documents, labels and scores from users' own files, and write tables of results.

Documents: CSV, TSV, JSON lines (each also with ``.gz``) or Parquet. Labels: such a file, or an
indicator matrix in NumPy's or SciPy's format. Scores: NumPy's format, or Parquet in long form.
Guidelines are a text file, weights of classes a JSON object.
"""

from __future__ import annotations

from satc.files.documents import Documents, iter_documents, read_documents
from satc.files.matrices import ScoreTable, read_labels, read_scores
from satc.files.small_files import read_class_weights, read_text
from satc.files.tables import write_table
from satc.files.training import read_training
from satc.training import Training

TrainingTable = Training  # the former name of what `read_training` returns

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
