"""What a dataset is: classes, training documents, and one or more sets of test documents.

Labels are dense boolean matrices, documents x classes, as everywhere else in satc. Only classes
with a training example are kept (Section 6.4 of the paper), in sorted order; a document all of
whose labels were dropped stays, without labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.inputs import Labels, indicator


class Document(NamedTuple):
    """What a reader hands over: one document with the names of all its labels."""

    id: str
    text: str
    labels: tuple[str, ...]


class Split(NamedTuple):
    """What a reader hands over: training and test documents, in the files' order.

    `records` says how many there were before the reader left out what the set does not use.
    """

    train: Sequence[Document]
    test: Sequence[Document]
    records: int


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """Some documents of a dataset.

    Attributes
    ----------
    ids, texts
        One string per document.
    labels
        Boolean matrix, documents x classes.
    classes
        The names of the columns of `labels`.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    labels: Labels
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Part: {len(self):,} documents, {len(self.classes)} classes>"

    def label_names(self, i: int) -> tuple[str, ...]:
        """Name the labels of document `i`."""
        return tuple(self.classes[j] for j in np.flatnonzero(self.labels[i]))

    def take(self, indices: NDArray[np.integer[Any]]) -> Part:
        """Return the documents at `indices`, in that order."""
        return Part(
            ids=tuple(self.ids[i] for i in indices),
            texts=tuple(self.texts[i] for i in indices),
            labels=self.labels[indices],
            classes=self.classes,
        )


@dataclass(frozen=True, eq=False)
class Dataset:
    """A collection with its split.

    Attributes
    ----------
    name
        The name it was loaded by.
    classes
        The names of the classes that have a training example, sorted.
    train, test
        The documents, each as a `Part`.
    tests
        The test sets to evaluate on: `test` alone, or the seeded random parts of it.
    licence, source
        The terms of use, and where the collection comes from.
    """

    name: str
    classes: tuple[str, ...] = field(repr=False)
    train: Part
    test: Part
    tests: tuple[Part, ...] = field(repr=False)
    licence: str = field(repr=False)
    source: str = field(repr=False)


def parts(split: Split) -> tuple[Part, Part]:
    """Training and test part over the classes that have a training example."""
    classes = tuple(sorted({label for document in split.train for label in document.labels}))
    return part(split.train, classes), part(split.test, classes)


def part(documents: Sequence[Document], classes: tuple[str, ...]) -> Part:
    """Documents as a `Part` over the given classes; other labels are dropped.

    >>> part([Document("7", "A text.", ("wheat", "unknown"))], ("corn", "wheat")).labels
    array([[False,  True]])
    """
    return Part(
        ids=tuple(document.id for document in documents),
        texts=tuple(document.text for document in documents),
        labels=indicator([one.labels for one in documents], classes, drop_unknown=True),
        classes=classes,
    )


def random_parts(whole: Part, n_parts: int, seed: int) -> tuple[Part, ...]:
    """Cut a part into random parts whose sizes differ by one at most."""
    order = np.random.default_rng(seed).permutation(len(whole))
    return tuple(whole.take(np.sort(chunk)) for chunk in np.array_split(order, n_parts))
