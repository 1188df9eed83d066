"""Where the larger set is, for a project that holds only its most useful documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from satc.texts.columns import Columns


@dataclass(frozen=True)
class SubsetOrigin:
    """A set that is too large to open whole.

    Attributes
    ----------
    documents
        The file of documents.
    scores
        Parquet files with the scores: a path, a directory or a pattern.
    engine, master, absent
        The engine that ranks them, as for `satc rank`.
    size
        How many documents are fetched at a time.
    labels_column, separator, label_columns
        How the files of documents name and separate labels.
    n_documents
        How many documents the larger set has.
    numbered
        Whether ids are numbers, which are sorted by value and not by spelling.
    """

    documents: str
    scores: str
    size: int
    engine: str = "duckdb"
    master: str | None = None
    absent: float | None = None
    labels_column: str = Columns.labels_column
    separator: str = Columns.separator
    label_columns: str | None = Columns.label_columns
    n_documents: int = 0
    numbered: bool = False

    def sort_key(self, identity: str) -> Any:
        """Return the key by which ids are sorted: a number, or the id itself."""
        return int(identity) if self.numbered else identity
