"""Where the whole set is, for a project that holds the most useful part of it."""

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
        What ranks them, as for `satc rank`.
    size
        How many documents are fetched at a time.
    labels_column, separator
        As for the file of documents.
    n_documents
        How many documents the whole set has.
    numbered
        Whether ids are numbers, and so go by their size and not by their spelling.
    """

    documents: str
    scores: str
    size: int
    engine: str = "duckdb"
    master: str | None = None
    absent: float | None = None
    labels_column: str = Columns.labels_column
    separator: str = Columns.separator
    n_documents: int = 0
    numbered: bool = False

    def sort_key(self, identity: str) -> Any:
        """Return the key by which ids are sorted: a number, or the id itself."""
        return int(identity) if self.numbered else identity
