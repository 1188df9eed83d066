"""The most useful part of a set that is too large to open whole: a project's first part, and more.

The scores are ranked where they are stored, and only the top comes here. The gains are those of the
whole set, and a bound is kept of what a document that stays outside can be worth (`whole`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from satc.errors import DataError
from satc.files import Documents, iter_documents, read_labels, read_scores
from satc.files.faults import Faults
from satc.inputs import Scores
from satc.texts.sources import BLOCK, Block, Progress, Training
from satc.texts.words import Lexicon
from satc.workbench.model.settings import Settings, class_weights_of
from satc.workbench.model.subset_origin import SubsetOrigin
from satc.workbench.project.larger_set import LargerSet

if TYPE_CHECKING:
    from satc.scale import StoredScores


@dataclass
class TopSource:
    """Take the best documents of a stored set."""

    stored: SubsetOrigin
    oof_scores: Path
    train_labels: Path
    settings: Settings
    weights: Mapping[str, float] | None = None
    lexicon: Lexicon | None = field(default=None, init=False)
    whole: LargerSet | None = field(default=None, init=False)

    def prepare(self, progress: Progress) -> tuple[tuple[str, ...], Training | None]:
        """Rank what is stored, and fetch the scores of the top."""
        from satc import scale
        from satc.scale.best_part import fetch_best_unheld

        progress("ranking the stored scores", 0, None)
        oof = read_scores(self.oof_scores)
        with open_scores_of(self.stored, oof.classes) as scores:
            columns = _columns(self.stored, self.settings)
            labels = read_labels(self.train_labels, scores.classes, ids=oof.ids, **columns)
            ranking = scale.rank(
                scores,
                oof_scores=oof.scores,
                y_train=labels,
                method=self.settings.method,
                measure=self.settings.measure,
                average=self.settings.average,
                random_state=self.settings.seed,
                class_weights=class_weights_of(self.weights, scores.classes),
                error_costs=self.settings.error_costs,
            )
            part = fetch_best_unheld(scores, ranking.model, ranking.gains, [], self.stored.size)
            stored = replace(
                self.stored,
                n_documents=scores.n_documents,
                numbered=isinstance(part.ids[0], int),
            )
        self.whole = LargerSet(ranking.model, part.bound, stored)
        self._ids, self._scores = part.ids, part.scores
        return scores.classes, Training(oof.scores, labels, None)

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Give the chosen documents, each with its scores."""
        for documents, scores in with_texts(
            self.stored, self.settings, self._ids, self._scores, faults
        ):
            yield Block(documents, scores, None)


@contextmanager
def open_scores_of(stored: SubsetOrigin, classes: tuple[str, ...] | None) -> Iterator[StoredScores]:
    """Open the scores of a set where they are stored, as long as the block lasts."""
    from satc import scale

    with scale.open_scores(
        stored.scores,
        classes=classes,
        engine=stored.engine,
        master=stored.master,
        absent=stored.absent,
    ) as scores:
        yield scores


def with_texts(
    stored: SubsetOrigin, settings: Settings, ids: list[Any], scores: Scores, faults: Faults
) -> Iterator[tuple[Documents, Scores]]:
    """Find documents in their file, and give them in its order, each with its scores."""
    row = {str(identity): k for k, identity in enumerate(ids)}
    found = 0
    for documents in iter_documents(
        Path(stored.documents),
        batch_size=BLOCK,
        on_fault=faults,
        id_column=settings.id_column,
        text_column=settings.text_column,
        labels_column=None,  # a column like the others
    ):
        chosen = [k for k, identity in enumerate(documents.ids) if identity in row]
        if chosen:
            found += len(chosen)
            part = _some(documents, chosen)
            yield part, scores[np.array([row[identity] for identity in part.ids])]
        if found == len(row):  # the rest of the file may be long
            return
    if not faults.found:
        raise DataError(
            f"{stored.documents} must hold the {len(row):,} documents that come first, "
            f"but holds {found:,} of them"
        )


def _columns(stored: SubsetOrigin, settings: Settings) -> dict[str, str]:
    """Return what the columns of the users' files are called."""
    return {
        "id_column": settings.id_column,
        "text_column": settings.text_column,
        "labels_column": stored.labels_column,
        "separator": stored.separator,
    }


def _some(documents: Documents, rows: list[int]) -> Documents:
    return Documents(
        ids=tuple(documents.ids[k] for k in rows),
        texts=tuple(documents.texts[k] for k in rows),
        labels=None if documents.labels is None else tuple(documents.labels[k] for k in rows),
        extra={name: tuple(v[k] for k in rows) for name, v in documents.extra.items()},
    )
