"""Which learner and which vectors a user wants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from satc.errors import DataError

if TYPE_CHECKING:
    from satc.texts.learner_source import LearnerSource

ALONE, BESIDE_WORDS = "embeddings", "words+embeddings"  # names of learners
WORDS = "auto"  # the learner of words in `BESIDE_WORDS`
OPINION = "embeddings"  # the name of the opinion of the classifier on vectors
ENDINGS = (".npy", ".npz", ".parquet")  # of files of vectors


def learner_of_words(learner: str) -> str | None:
    """Return the name of the learner that gets the words; None if no learner does.

    >>> learner_of_words("words+embeddings"), learner_of_words("mpboost")
    ('auto', 'mpboost')
    """
    if learner == ALONE:
        return None
    return WORDS if learner == BESIDE_WORDS else learner


def wanted_vectors(source: LearnerSource) -> str | None:
    """Return the name or folder of a model, or a file of vectors; None if none are wanted."""
    if source.embeddings is not None:
        return source.embeddings
    if source.train_embeddings is not None:
        raise DataError(
            f"{source.train_embeddings} (--train-embeddings) needs --embeddings, a file with "
            "vectors of the documents"
        )
    if source.learner not in (ALONE, BESIDE_WORDS):
        return None
    from satc.embeddings.models.finding import DEFAULT_MODEL

    return DEFAULT_MODEL


def is_file_of_vectors(wanted: str) -> bool:
    """Whether this is a file of vectors, not a model.

    >>> is_file_of_vectors("vectors.parquet"), is_file_of_vectors("all-MiniLM-L6-v2")
    (True, False)
    """
    path = Path(wanted)
    return path.suffix in ENDINGS and not path.is_dir()
