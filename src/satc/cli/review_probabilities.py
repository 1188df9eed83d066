"""P(responsive) and P(privileged) of the documents of a two-stage review, from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from satc.inputs import MULTI_LABEL
from satc.texts.wanted_task import WantedTask

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from satc.cli.options import ColumnOptions
    from satc.cli.prediction_options import PredictionOptions
    from satc.files import Documents
    from satc.files.review.answers import Answers
    from satc.ranking import Ranking
    from satc.texts.learner_source import LearnerSource

TASK = WantedTask(MULTI_LABEL)  # a document can be responsive and privileged


class Reviewed(NamedTuple):
    """The documents of a review, with the probabilities of the two classes."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    responsive: NDArray[np.float64]
    privileged: NDArray[np.float64]
    answers: list[Answers]  # so far, to each question


class Questions(NamedTuple):
    """The two classes that reviewers are asked about, and the file of their answers so far."""

    names: tuple[str, str]
    answers: Path | None
    id_column: str

    def read(self, ids: Sequence[str], classes: Sequence[str]) -> list[Answers]:
        """Check the classes, and read the answers; both are done before training."""
        from satc.files.review.answers import read_answers

        for option, name in zip(("--responsive", "--privileged"), self.names, strict=True):
            if name not in classes:
                shown = ", ".join(classes[:10]) + (", ..." if len(classes) > 10 else "")
                raise ValueError(f"{option} must be one of the classes {shown}, but is {name!r}")
        if self.answers is None:
            return [{}, {}]
        return read_answers(self.answers, ids, self.names, self.id_column)


def of_texts(source: LearnerSource, questions: Questions, options: dict[str, Any]) -> Reviewed:
    """Train a learner on the labelled documents, and classify the others."""
    from satc.cli.progress import steps
    from satc.texts.labelled import read_labelled
    from satc.texts.unlabelled import read_unlabelled

    with steps() as progress:
        progress("reading the documents")  # before training, so that a fault is found at once
        documents = read_unlabelled(source.documents, source.columns)
        labelled = read_labelled(source)
        answers = questions.read(documents.ids, labelled.documents.classes)
        trained = replace(source, labelled=labelled).prepare(progress)
        progress(f"classifying {len(documents):,} documents")
        found = trained.rank(documents, **options)
    return _reviewed(documents, trained.classes, found, questions, answers)


def of_predictions(
    predicted: PredictionOptions,
    documents: Path | None,
    columns: ColumnOptions,
    questions: Questions,
    options: dict[str, Any],
) -> Reviewed:
    """Read predictions, and learn from documents with true labels how far to believe them."""
    from satc.cli.progress import steps
    from satc.cli.rank_predictions import predicted_documents
    from satc.ranking import rank
    from satc.texts.predictions_source import PredictionsSource
    from satc.texts.source import training_arguments

    source = PredictionsSource(
        predicted.prediction_file,
        documents,
        predicted.kind,
        predicted.read_threshold(),
        predicted.classes,
        predicted.known,
        columns=columns.names(),
        wanted=TASK,
    )
    with steps() as progress:
        prepared = source.prepare(progress)
        block = prepared.block(predicted_documents(prepared))
    answers = questions.read(block.documents.ids, prepared.classes)
    known = training_arguments(prepared.training, block.features)
    found = rank(block.scores, **known, **options)
    return _reviewed(block.documents, prepared.classes, found, questions, answers)


def _reviewed(
    documents: Documents,
    classes: tuple[str, ...],
    found: Ranking,
    questions: Questions,
    answers: list[Answers],
) -> Reviewed:
    places = [classes.index(name) for name in questions.names]
    responsive, privileged = found.probability[:, places].T
    return Reviewed(tuple(documents.ids), tuple(documents.texts), responsive, privileged, answers)
