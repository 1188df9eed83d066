"""The former home of `satc.files.exchange`: the same objects under their former names.

`Record` is the former name of `ExportedDocument`, `Finished` that of `ImportedDecision`.
"""

from __future__ import annotations

from satc.files.exchange import (
    FORMATS,
    AnswerColumns,
    ClassColumns,
    Format,
    LabelConfig,
    format_names,
    format_of,
    iter_dataset_documents,
    label_config,
    read,
    read_label_config,
    write,
)
from satc.files.exchange import ExportedDocument as Record
from satc.files.exchange import ImportedDecision as Finished

__all__ = [
    "FORMATS",
    "AnswerColumns",
    "ClassColumns",
    "Finished",
    "Format",
    "LabelConfig",
    "Record",
    "format_names",
    "format_of",
    "iter_dataset_documents",
    "label_config",
    "read",
    "read_label_config",
    "write",
]
