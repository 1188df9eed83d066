"""Documents of a new project, in a temporary file until their ranks are known.

So not all texts are in memory, and nothing is stored before everything is computed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from satc.files import Documents
from satc.ranking.ranking import Ranking
from satc.workbench.store.documents import NewDocument, StorableDocument, storable_documents


class SpooledDocuments:
    """Documents as they are to be stored, in a file without a name that ends with the process.

    `folder` is where the file takes its room; by default, where temporary files are.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file = TemporaryFile("w+", encoding="ascii", dir=folder)  # noqa: SIM115 (see `close`)

    def add(self, documents: Documents) -> None:
        """Add documents behind those that are there."""
        for one in storable_documents(documents):
            self._file.write(f"{json.dumps(one)}\n")

    def ranked(self, ranking: Ranking) -> Iterator[NewDocument]:
        """Iterate over the documents with their ranks, in the order in which they were added."""
        ranks = np.empty(len(ranking.order), dtype=np.int64)
        ranks[ranking.order] = np.arange(1, len(ranks) + 1)
        self._file.seek(0)
        for position, line in enumerate(self._file):
            content = StorableDocument(*json.loads(line))
            utility = float(ranking.utility[position])
            yield NewDocument(position, int(ranks[position]), utility, content)

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
