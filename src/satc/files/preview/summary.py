"""What a file of documents is understood to hold: documents, classes, labels, rows with errors.

The file is read to its end if that takes no longer than a few seconds; otherwise the counts are
those of the part that was read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from satc.errors import DataError
from satc.files.documents import Documents, iter_documents
from satc.files.tasks import LEAST_LABELLED
from satc.inputs import MULTI_LABEL, SINGLE_LABEL

SECONDS = 3.0
MOST_FAULTS = 20
_BATCH = 500


@dataclass
class Summary:
    """Counts of a file.

    Attributes
    ----------
    n_documents
        Documents that were read.
    complete
        Whether the file was read to its end.
    n_labels
        How many documents have 0, 1, 2, ... labels; empty if labels are not read.
    classes
        How many documents have each label.
    faults
        The first rows that cannot be used, each in a sentence.
    """

    n_documents: int = 0
    complete: bool = True
    n_labels: Counter[int] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def task(self) -> str | None:
        """The task that the labels suggest, by the rule of `satc.files.tasks`; None without any."""
        n = sum(self.n_labels.values())
        if not self.classes or not n:
            return None
        several = n - self.n_labels[0] - self.n_labels[1]
        one = not several and self.n_labels[1] >= LEAST_LABELLED * n and len(self.classes) > 1
        return SINGLE_LABEL if one else MULTI_LABEL

    def add(self, documents: Documents) -> None:
        """Count documents."""
        self.n_documents += len(documents)
        for labels in documents.labels or ():
            self.n_labels[len(labels)] += 1
            self.classes.update(labels)


class _EnoughError(Exception):
    """There are enough faults: nobody reads more of them."""


def summarise(path: Path, *, seconds: float = SECONDS, **columns: Any) -> Summary:
    """Count the documents and labels of a file.

    `columns` are those of `read_documents`; with ``labels_column=None`` labels are not read.
    """
    found = Summary()
    end = monotonic() + seconds

    def note(error: DataError) -> None:
        found.faults.append(str(error))
        if len(found.faults) >= MOST_FAULTS:
            raise _EnoughError

    try:
        with closing(_batches(path, note, columns)) as batches:
            for documents in batches:
                found.add(documents)
                if monotonic() > end:
                    found.complete = False
                    break
    except _EnoughError:
        found.complete = False
    except DataError as error:  # the file cannot be read any further
        found.faults.append(str(error))
        found.complete = False
    return found


def _batches(path: Path, note: Any, columns: dict[str, Any]) -> Generator[Documents, None, None]:
    yield from iter_documents(path, batch_size=_BATCH, on_fault=note, **columns)
