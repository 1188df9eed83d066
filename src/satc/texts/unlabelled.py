"""Read documents that are to be classified.

Labels that such a file holds are not used. They are kept as an ordinary column, and come back with
the results.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from satc.files import Documents, iter_documents, read_documents
from satc.files.faults import Faults, OnFault
from satc.texts.columns import Columns

BLOCK_SIZE = 2_000  # documents


def iter_unlabelled(path: Path, columns: Columns, on_fault: OnFault) -> Iterator[Documents]:
    """Read the documents of a file in blocks of `BLOCK_SIZE`."""
    return iter_documents(
        path,
        batch_size=BLOCK_SIZE,
        id_column=columns.id_column,
        text_column=columns.text_column,
        labels_column=None,
        on_fault=on_fault,
    )


def read_unlabelled(path: Path, columns: Columns) -> Documents:
    """Read all documents of a file; the first row that cannot be used is an error."""
    return read_documents(
        path,
        id_column=columns.id_column,
        text_column=columns.text_column,
        labels_column=None,
    )


def ids_of(path: Path, columns: Columns) -> list[str] | None:
    """Return the ids of all documents of a file; None if it has rows that cannot be used.

    Such rows are reported when the documents are read.
    """
    faults = Faults(path)
    ids = [one for block in iter_unlabelled(path, columns, faults) for one in block.ids]
    return None if faults.found else ids
