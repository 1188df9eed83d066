"""A dataset: its classes, its training documents, and one or more sets of test documents.

Labels are dense boolean matrices, documents x classes, as everywhere in satc. Only classes with a
training example are kept (Section 6.4 of the paper), in sorted order. A document stays even if all
its labels are dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.inputs import Labels, indicator


class Document(NamedTuple):
    """A document as a reader returns it, with the names of all its labels."""

    id: str
    text: str
    labels: tuple[str, ...]


class Split(NamedTuple):
    """Training and test documents as a reader returns them, in the order of the files.

    `records` is the number of records in the files, including those that the dataset does not use.
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
        The name under which it was loaded.
    classes
        The names of the classes that have a training example, sorted.
    train, test
        The documents, each as a `Part`.
    tests
        The test sets for an evaluation: `test` alone, or its random parts.
    licence, source
        The terms of use, and the homepage of the collection.
    """

    name: str
    classes: tuple[str, ...] = field(repr=False)
    train: Part
    test: Part
    tests: tuple[Part, ...] = field(repr=False)
    licence: str = field(repr=False)
    source: str = field(repr=False)


def train_and_test(split: Split) -> tuple[Part, Part]:
    """Return the training and the test part, with the classes that have a training example."""
    classes = tuple(sorted({label for document in split.train for label in document.labels}))
    return make_part(split.train, classes), make_part(split.test, classes)


def with_one_label(split: Split, only: Collection[str] = ()) -> Split:
    """Return the documents with exactly one label, of the classes in `only`, if there are any.

    Classes without a training document, or without a test document, are left out.

    >>> one, two, none = (Document("7", "A text.", names) for names in [("a",), ("a", "b"), ()])
    >>> [len(part) for part in with_one_label(Split([one, two, one], [one, none], 5))[:2]]
    [2, 1]
    """
    train, test = ([one for one in part if len(one.labels) == 1] for part in split[:2])
    classes = {one.labels[0] for one in train} & {one.labels[0] for one in test}
    kept = classes & set(only) if only else classes
    train, test = ([one for one in part if one.labels[0] in kept] for part in (train, test))
    return Split(train, test, split.records)


def make_part(documents: Sequence[Document], classes: tuple[str, ...]) -> Part:
    """Return documents as a `Part` with the given classes; other labels are dropped.

    >>> make_part([Document("7", "A text.", ("wheat", "unknown"))], ("corn", "wheat")).labels
    array([[False,  True]])
    """
    return Part(
        ids=tuple(document.id for document in documents),
        texts=tuple(document.text for document in documents),
        labels=indicator([one.labels for one in documents], classes, drop_unknown=True),
        classes=classes,
    )


def random_parts(whole: Part, n_parts: int, seed: int) -> tuple[Part, ...]:
    """Split a part at random into parts whose sizes differ by at most one."""
    order = np.random.default_rng(seed).permutation(len(whole))
    return tuple(whole.take(np.sort(chunk)) for chunk in np.array_split(order, n_parts))
