"""The learner of an uploaded project, and what it counts in texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Form, HTTPException

from satc.errors import DataError
from satc.learners.text.languages import check_language
from satc.texts.columns import Columns
from satc.texts.embedded.wanted import ALONE, BESIDE_WORDS, OPINION, is_file_of_vectors
from satc.texts.labelled import read_labelled
from satc.texts.learner_names import learner_names
from satc.texts.learner_source import LearnerSource
from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.wanted_task import WantedTask
from satc.texts.words.wanted import WantedAnalysis


@dataclass(frozen=True)
class LearnerFields:
    """The fields of the form for a learner that is trained on texts."""

    learner: Annotated[
        str,
        Form(
            max_length=60,
            description="auto; svm or mpboost, those of the paper; tsvm or self-training; or "
            "vectors.",
        ),
    ] = LearnerSource.learner
    folds: Annotated[int, Form(ge=2, le=1_000, description="Folds of the cross-validation.")] = (
        LearnerSource.folds
    )
    language: Annotated[
        str,
        Form(max_length=10, description="Language of the texts: auto, none, or a code such as de."),
    ] = WantedAnalysis.language
    analyzer: Annotated[
        Literal["auto", "words", "characters", "both"],
        Form(description="What is counted in the texts."),
    ] = "auto"
    digits: Annotated[bool, Form(description="Numbers count as words.")] = WantedAnalysis.digits

    def check(self) -> None:
        """Refuse an unknown learner and an unknown language."""
        if self.learner not in (names := learner_names()):  # a module must not run code
            known = ", ".join(names)
            raise HTTPException(422, f"learner must be one of {known}, but is {self.learner!r}")
        try:
            check_language(self.language)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None

    def given(self) -> set[str]:
        """Return the fields that differ from their defaults."""
        return {name for name, value in vars(self).items() if value != getattr(type(self), name)}

    def made_by(self, paths: set[str]) -> str:
        """Return the name of the learner, with that of the opinion beside it."""
        beside = "embeddings" in paths and self.learner not in (ALONE, BESIDE_WORDS)
        return f"{self.learner}+{OPINION}" if beside else self.learner

    def source(
        self,
        paths: dict[str, Path],
        columns: tuple[Columns, Columns],
        wanted: WantedTask,
        seed: int,
        opinions: tuple[OpinionFile, ...],
    ) -> LearnerSource:
        """Return the source that trains the learner; the labelled documents have been read.

        `columns` are those of the documents and of the labelled documents.
        """
        own, of_train = columns
        vectors = paths.get("embeddings")
        if vectors is not None and not is_file_of_vectors(str(vectors)):
            raise DataError(f"{vectors} must be a file of vectors: .npy, .npz or .parquet")
        source = LearnerSource(
            paths["train"],
            paths["documents"],
            self.learner,
            self.folds,
            seed,
            own,
            wanted,
            None if vectors is None else str(vectors),
            paths.get("train_embeddings"),
            opinions,
            WantedAnalysis(self.language, self.analyzer, self.digits),
        )
        return replace(source, labelled=read_labelled(replace(source, columns=of_train)))
