"""`LearnerSource`: documents that get their scores from a learner trained here.

This module only describes the files and options, so that the command line can read the defaults
without loading scikit-learn; `satc.texts.trained_learner` does the work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from satc.texts.columns import Columns
from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.wanted_task import WantedTask
from satc.texts.words.wanted import AUTO, WantedAnalysis

if TYPE_CHECKING:
    from satc.texts.labelled import LabelledDocuments
    from satc.texts.source import Progress
    from satc.texts.trained_learner import TrainedLearner


@dataclass(frozen=True)
class LearnerSource:
    """Train a learner on labelled documents, and classify other documents with it.

    Attributes
    ----------
    train
        File of labelled documents.
    documents
        File of documents to classify.
    learner
        ``"auto"``, a linear SVM on the words and characters that suit the texts; the name of a
        preset of the paper (`satc.learners.presets`); ``module:object``; ``"embeddings"`` for a
        linear classifier on vectors of the texts; or ``"words+embeddings"`` for both.
    folds
        Folds of the cross-validation that gives the out-of-fold scores.
    seed
        Seed of the folds.
    columns
        Names of the columns in both files.
    wanted
        The task: multi-label, unless the user wants another.
    embeddings
        Name or folder of a sentence model, or a file of vectors of the documents. The neighbours of
        a document are then found by vectors, and the classifier on vectors is a further opinion.
    train_embeddings
        File of vectors of the labelled documents, if `embeddings` is a file that lacks them.
    opinions
        Files of further opinions on the documents.
    analysis
        Which parts of the texts are counted.
    labelled
        The contents of `train`, if the file has been read already.
    """

    train: Path
    documents: Path
    learner: str = AUTO
    folds: int = 10
    seed: int = 0
    columns: Columns = field(default_factory=Columns)
    wanted: WantedTask = field(default_factory=WantedTask)
    embeddings: str | None = None
    train_embeddings: Path | None = None
    opinions: tuple[OpinionFile, ...] = ()
    analysis: WantedAnalysis = field(default_factory=WantedAnalysis)
    labelled: LabelledDocuments | None = field(default=None, repr=False, compare=False)

    def prepare(self, progress: Progress) -> TrainedLearner:
        """Train the learner, and cross-validate it."""
        from satc.texts.trained_learner import train_learner

        return train_learner(self, progress)
