"""A source of the most useful part of a set that is too large to open whole.

The scores are ranked where they are stored, and only the top comes here. Inside the project the
documents that were brought are the set: its tables and its accuracy speak of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from satc.datasets.files import Documents, iter_documents
from satc.datasets.files.faults import Faults
from satc.errors import DataError
from satc.workbench.sources import BLOCK, Block, Columns, Progress, Training
from satc.workbench.words import Lexicon

OpenRanking = Callable[[], AbstractContextManager[tuple[Any, Training]]]


@dataclass
class TopSource:
    """Take the first `top` documents of a stored ranking."""

    documents: Path
    ranking: OpenRanking  # gives a StoredRanking and the training side
    top: int
    columns: Columns = field(default_factory=Columns)
    lexicon: Lexicon | None = field(default=None, init=False)

    def prepare(self, progress: Progress) -> tuple[tuple[str, ...], Training | None]:
        """Rank what is stored, and fetch the scores of the top."""
        from satc.scale.held import fetch

        progress("ranking the stored scores", 0, None)
        with self.ranking() as (ranking, training):
            ids = ranking.top(self.top)["document"].to_pylist()
            scores = fetch(ranking.scores, ids)
            self._rows = dict(zip(map(str, ids), scores, strict=True))
            return ranking.scores.classes, training

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Give the chosen documents, each with its scores."""
        import numpy as np

        found = 0
        for documents in iter_documents(
            self.documents, batch_size=BLOCK, on_fault=faults, **self.columns.as_dict()
        ):
            chosen = [k for k, identity in enumerate(documents.ids) if identity in self._rows]
            if chosen:
                found += len(chosen)
                part = _some(documents, chosen)
                yield Block(part, np.array([self._rows[identity] for identity in part.ids]), None)
        if not faults.found and found < len(self._rows):
            raise DataError(
                f"{self.documents} must hold the {len(self._rows):,} documents that come first, "
                f"but holds {found:,} of them"
            )


def _some(documents: Documents, rows: list[int]) -> Documents:
    return Documents(
        ids=tuple(documents.ids[k] for k in rows),
        texts=tuple(documents.texts[k] for k in rows),
        labels=None if documents.labels is None else tuple(documents.labels[k] for k in rows),
        extra={name: tuple(v[k] for k in rows) for name, v in documents.extra.items()},
    )
