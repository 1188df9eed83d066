"""Vectors of documents from a sentence model, whose cost is said before it is spent."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from satc.errors import SatcWarning
from satc.files import Documents
from satc.files.faults import Faults
from satc.texts.unlabelled import iter_unlabelled

if TYPE_CHECKING:
    from satc.embeddings import Embedder
    from satc.texts.learner_source import LearnerSource
    from satc.texts.source import Progress

Vectors = NDArray[np.floating[Any]]


class ModelVectors:
    """Vectors that a model computes, or that are in its cache.

    Parameters
    ----------
    embedder
        The model with its cache.
    step
        What the work will cost, in words.
    progress
        Told how many texts are embedded.
    """

    def __init__(self, embedder: Embedder, step: str, progress: Progress) -> None:
        self.embedder = embedder
        self._step = step
        self._progress = progress

    def of(self, documents: Documents, start: int = 0) -> Vectors:
        """Return the vectors of documents."""
        return self.embed(documents.texts)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, and show how many are done."""
        from satc.embeddings import embed

        before = self.embedder.counts.n_texts
        return embed(
            list(texts),
            self.embedder,
            progress=lambda done, _: self._progress(self._step, before + done),
        )

    def finish(self) -> None:
        """Warn about texts that were cut, or that have no words."""
        counts, limit = self.embedder.counts, self.embedder.folder.max_tokens
        if counts.n_cut:
            longest = f" ({limit} tokens)" if limit else ""
            _warn(
                f"{counts.n_cut:,} of {counts.n_texts:,} texts are longer than the model reads"
                f"{longest}: they were cut into passages, and have the mean of their vectors"
            )
        if counts.n_empty:
            _warn(f"{counts.n_empty:,} texts have no words, so their vectors are zeros")


def open_model(
    source: LearnerSource, model: str, texts: Sequence[str], progress: Progress
) -> tuple[ModelVectors, Vectors]:
    """Open a model, tell its cost for all texts, and return it with the vectors of `texts`.

    The cost is measured on a sample of these texts and of the documents of the source.
    """
    from satc.embeddings import Embedder, Survey

    progress("looking at the texts to embed")
    embedder = Embedder(model)
    survey = Survey(embedder)
    survey.add(list(texts))
    faults = Faults(source.documents)  # rows that cannot be used are reported when they are read
    for documents in iter_unlabelled(source.documents, source.columns, faults):
        survey.add(list(documents.texts))
    step = f"embedding with {embedder.folder.name}: {survey.cost()}"
    progress(step)
    opened = ModelVectors(embedder, step, progress)
    return opened, opened.embed(texts)


def _warn(message: str) -> None:
    warnings.warn(message, SatcWarning, stacklevel=3)
