"""The best part of a set that is too large for memory: the first documents of a project.

The scores are ranked where they are stored, and only the best documents are fetched. The gains are
those of the whole set; a bound on the utility of the unfetched documents is kept (`larger_set`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from satc.errors import DataError
from satc.files import Documents, read_labels, read_scores
from satc.files.faults import Faults
from satc.files.matrices import refuse_probabilities
from satc.inputs import Scores
from satc.texts.columns import Columns
from satc.texts.source import Block, PreparedSource, Progress
from satc.texts.unlabelled import iter_unlabelled
from satc.training import Training
from satc.workbench.model.settings import Settings, class_weights_of
from satc.workbench.model.subset_origin import SubsetOrigin
from satc.workbench.project.larger_set import LargerSet

if TYPE_CHECKING:
    from satc.scale import StoredScores

_LOG_ODDS = "store their log-odds, ln(p / (1 - p)), and give those here, too"


@dataclass(frozen=True)
class BestPartSource:
    """Take the best documents of a stored set."""

    stored: SubsetOrigin
    oof_scores: Path
    train_labels: Path
    settings: Settings
    weights: Mapping[str, float] | None = None
    none_class: str | None = None

    def prepare(self, progress: Progress) -> PreparedBestPart:
        """Rank the stored scores, and fetch those of the best documents."""
        from satc import scale
        from satc.scale.window import fetch_best_unheld

        progress("ranking the stored scores")
        oof = read_scores(self.oof_scores)
        refuse_probabilities(oof.scores, self.oof_scores, _LOG_ODDS)
        with open_scores_of(self.stored, oof.classes) as scores:
            columns = _columns(self.stored, self.settings)
            labels = read_labels(
                self.train_labels,
                scores.classes,
                ids=oof.ids,
                none_class=self.none_class,
                **columns.as_dict(),
            )
            ranking = scale.rank(
                scores,
                oof_scores=oof.scores,
                y_train=labels,
                task=self.settings.task,
                method=self.settings.method,
                measure=self.settings.measure,
                average=self.settings.average,
                decide=self.settings.decide,
                random_state=self.settings.seed,
                class_weights=class_weights_of(self.weights, scores.classes),
                error_costs=self.settings.error_costs,
            )
            part = fetch_best_unheld(
                scores, ranking.model, ranking.gains, [], self.stored.size, ranking.kept
            )
            stored = replace(
                self.stored,
                n_documents=scores.n_documents,
                numbered=isinstance(part.ids[0], int),
            )
        return PreparedBestPart(
            self,
            scores.classes,
            Training(oof.scores, labels),
            part.ids,
            part.scores,
            LargerSet(ranking.model, part.bound, stored),
        )


@dataclass(frozen=True, eq=False)
class PreparedBestPart:
    """The best documents of a stored set by their ids and scores, and the set that they are of."""

    source: BestPartSource
    classes: tuple[str, ...]
    training: Training
    ids: list[Any]
    scores: Scores
    whole: LargerSet

    def new_lexicon(self) -> None:
        """Return None: the words of the classifier are not known."""

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Give the chosen documents, each with its scores."""
        stored, settings = self.source.stored, self.source.settings
        for documents, scores in with_texts(stored, settings, self.ids, self.scores, faults):
            yield Block(documents, scores, None)


def larger_set_of(prepared: PreparedSource) -> LargerSet | None:
    """Return the set that a source takes the best part of; None if it takes all documents."""
    return prepared.whole if isinstance(prepared, PreparedBestPart) else None


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
    for documents in iter_unlabelled(Path(stored.documents), _columns(stored, settings), faults):
        chosen = [k for k, identity in enumerate(documents.ids) if identity in row]
        if chosen:
            found += len(chosen)
            part = documents.at(chosen)
            yield part, scores[np.array([row[identity] for identity in part.ids])]
        if found == len(row):  # the rest of the file may be long
            return
    if not faults.found:
        raise DataError(
            f"{stored.documents} must hold the {len(row):,} documents that come first, "
            f"but holds {found:,} of them"
        )


def _columns(stored: SubsetOrigin, settings: Settings) -> Columns:
    """Return the names of the columns in the users' files."""
    return Columns(
        settings.id_column,
        settings.text_column,
        stored.labels_column,
        stored.separator,
        stored.label_columns,
    )
