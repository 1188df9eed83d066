"""The vectors of a source, with the linear classifier that is trained on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.files import Documents
from satc.learners.embedding_classifier import EmbeddingOpinion
from satc.texts.embedded.file_vectors import read_vectors
from satc.texts.embedded.model_vectors import open_model
from satc.texts.embedded.wanted import is_file_of_vectors, wanted_vectors
from satc.texts.unlabelled import ids_of

if TYPE_CHECKING:
    from satc.texts.labelled import LabelledDocuments
    from satc.texts.learner_source import LearnerSource
    from satc.texts.source import Progress

Array = NDArray[np.float64]
Vectors = NDArray[np.floating[Any]]


class VectorsOfDocuments(Protocol):
    """Gives the vectors of documents."""

    def of(self, documents: Documents, start: int = 0) -> Vectors:
        """Return the vectors of documents, of which the first is the document `start`."""

    def finish(self) -> None:
        """Warn about texts whose vectors are special, when all documents are done."""


@dataclass(frozen=True, eq=False)
class EmbeddedTexts:
    """Vectors of labelled documents, those of others, and a classifier that was trained on them."""

    train_vectors: Vectors
    vectors: VectorsOfDocuments
    classifier: EmbeddingOpinion

    @property
    def oof_scores(self) -> Array:
        """The out-of-fold scores of the labelled documents."""
        return self.classifier.oof_scores_

    def scores(self, vectors: Vectors) -> Array:
        """Return the scores of documents."""
        return self.classifier.scores(vectors)


def embed_texts(
    source: LearnerSource, labelled: LabelledDocuments, progress: Progress
) -> EmbeddedTexts | None:
    """Get the vectors that a source wants, and train on them; None if it wants none."""
    wanted = wanted_vectors(source)
    if wanted is None:
        return None
    known, opened = _vectors(source, wanted, labelled, progress)
    progress("training and cross-validating on the vectors")
    classifier = EmbeddingOpinion(labelled.task, random_state=source.seed)
    return EmbeddedTexts(known, opened, classifier.fit(known, labelled.labels))


def _vectors(
    source: LearnerSource, wanted: str, labelled: LabelledDocuments, progress: Progress
) -> tuple[Vectors, VectorsOfDocuments]:
    documents = labelled.documents
    if not is_file_of_vectors(wanted):
        opened, known = open_model(source, wanted, documents.texts, progress)
        return known, opened
    progress("reading the vectors")
    given, known = read_vectors(source, Path(wanted), documents.ids)
    if (ids := ids_of(source.documents, source.columns)) is not None:
        given.check(ids, source.documents)
    return known, given
