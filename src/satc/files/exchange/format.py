"""`Format`: how documents are written in a format, and decisions read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from satc.files.exchange.columns import Layout
from satc.files.exchange.exported_document import ExportedDocument
from satc.files.exchange.imported_decision import ImportedDecision

Classes = Sequence[str] | None
Write = Callable[[Iterable[ExportedDocument], Path, Classes, Layout], int]


class Format(NamedTuple):
    """How a format is written and read.

    Attributes
    ----------
    write
        A function of the documents, the path, the classes of the project and the layout of the
        columns. It returns the number of documents.
    read
        A function of the path. It returns an iterator of decisions.
    suffix, media_type
        The ending of a file, and its media type.
    inferred
        Whether the ending alone names the format.
    """

    write: Write
    read: Callable[[Path], Iterator[ImportedDecision]]
    suffix: str
    media_type: str
    inferred: bool = True
