"""What is counted in texts, and the line that says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satc.texts.learner_source import LearnerSource
    from satc.texts.source import Progress
    from satc.texts.trained_learner import TrainedLearner


def say_analysis(trained: TrainedLearner) -> None:
    """Say which parts of the texts are counted, unless the learner has its own way."""
    from satc.cli.show import say

    analysis = None if trained.words is None else trained.words.analysis
    if analysis is None:
        return
    faster = analysis.counts_characters and trained.source.analysis.analyzer == "auto"
    say(f"counted: {analysis}" + ("; --analyzer words is faster" if faster else ""))


@dataclass(frozen=True)
class SayingSource:
    """A source that says what it counts when it has been trained."""

    source: LearnerSource

    def prepare(self, progress: Progress) -> TrainedLearner:
        """Train the learner, and say what it counts."""
        trained = self.source.prepare(progress)
        say_analysis(trained)
        return trained
