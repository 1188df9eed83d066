"""Sources: files that become documents with scores.

A source describes files and options. `Source.prepare` does the long work, training a learner or
reading scores, and returns a `PreparedSource`: the classes, the training side, and the documents
block by block, each with its scores. So not all texts are in memory at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from satc.calibration.evidence import Evidence

if TYPE_CHECKING:
    from satc.files import Documents
    from satc.files.faults import Faults
    from satc.inputs import Scores
    from satc.texts.words.lexicon import Lexicon
    from satc.training import Training


class Progress(Protocol):
    """A function that shows the present step of some work, and how many items of it are done."""

    def __call__(self, step: str, done: int = 0) -> None: ...


class Block(NamedTuple):
    """Some documents with their scores, and their features where they are known."""

    documents: Documents
    scores: Scores
    features: Any  # documents x features, evidence with features and opinions, or None


class PreparedSource(Protocol):
    """A source that is ready to give its documents."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the names of the classes."""

    @property
    def training(self) -> Training | None:
        """Return out-of-fold scores and labels of the training documents, or None."""

    def new_lexicon(self) -> Lexicon | None:
        """Return an empty lexicon of the learner; None if its words are not known."""

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Give the documents with their scores; rows that cannot be used go to `faults`."""


@runtime_checkable
class KnowsTrainingTexts(Protocol):
    """A prepared source that knows the training documents themselves, in the order of `training`.

    The page shows those that are similar to a document. A text can be "", if only ids are known.
    """

    @property
    def train_ids(self) -> Sequence[str]:
        """Return the ids of the training documents; none if they are not known."""

    @property
    def train_texts(self) -> Sequence[str]:
        """Return their texts, or the beginnings of these; as many as there are ids."""


class Source(Protocol):
    """A description of files with documents, and of how they get their scores."""

    def prepare(self, progress: Progress) -> PreparedSource:
        """Train, or read the scores; `progress` is told about each step."""


@dataclass(frozen=True)
class ReadySource:
    """A source that was prepared before: `prepare` only returns the result."""

    prepared: PreparedSource

    def prepare(self, progress: Progress) -> PreparedSource:
        """Return the prepared source."""
        return self.prepared


def training_arguments(training: Training | None, features: Any) -> dict[str, Any]:
    """Return the keyword arguments of `satc.rank` for the training side.

    `features` are those of the documents to rank, or evidence with features and opinions. The
    contextual methods compare features with those of the training documents, so they are passed
    only if both are known, or if there are no training documents.
    """
    if training is None:
        return {} if features is None else {"features": features}
    known = features if isinstance(features, Evidence) else Evidence(features)
    if known.features is None or training.features is None:
        training, known = replace(training, features=None), replace(known, features=None)
    passed = known if known.opinions else known.features
    return {"training": training} | ({} if passed is None else {"features": passed})
