"""The learner of an uploaded project, and what it counts in texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Form, HTTPException

from satc.learners.presets import LEARNERS
from satc.learners.text.languages import check_language
from satc.texts.learner_source import LearnerSource
from satc.texts.words.wanted import AUTO, WantedAnalysis


@dataclass(frozen=True)
class LearnerFields:
    """The fields of the form for a learner that is trained on texts."""

    learner: Annotated[
        str, Form(max_length=20, description="auto; or svm or mpboost, those of the paper.")
    ] = LearnerSource.learner
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
        if self.learner not in (AUTO, *LEARNERS):  # a module in a request must not run code
            known = ", ".join((AUTO, *sorted(LEARNERS)))
            raise HTTPException(422, f"learner must be one of {known}, but is {self.learner!r}")
        try:
            check_language(self.language)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None

    def source(self, paths: dict[str, Path]) -> LearnerSource:
        """Return the source that trains the learner."""
        wanted = WantedAnalysis(self.language, self.analyzer, self.digits)
        return LearnerSource(paths["train"], paths["documents"], self.learner, analysis=wanted)
