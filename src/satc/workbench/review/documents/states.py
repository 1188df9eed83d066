"""What is known about each document, in arrays and sets that filters can use at once.

The states are a function of the record. They are built when somebody first asks for the table, and
then updated after each event, one document at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.workbench.model.disagreements import disagreement_on
from satc.workbench.model.record import Decision, Record

IMPORTED = "imported"  # the source of a decision that was made elsewhere
Mask = NDArray[np.bool_]


class _Known(NamedTuple):
    """The keys under which a document is listed."""

    labels: tuple[int, ...] = ()
    people: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class DocumentStates:
    """The states of all documents.

    Attributes
    ----------
    record : Record
        The record that the states come from.
    number : array of int
        The number of the decision in force on each document; 0 if nobody has decided.
    corrected, disagreed : arrays of bool
        Whether people changed the predicted labels, and whether two people disagree.
    by_label, by_person, by_source : dict
        The documents that have a label by decision; on which a person decided or gave a second
        opinion; that were decided for a reason (`model.shown`), or imported.
    """

    def __init__(self, record: Record, predicted: Mask) -> None:
        self.record = record
        self._predicted = predicted
        self._known: dict[int, _Known] = {}
        n = len(predicted)
        self.number = np.zeros(n, dtype=np.int64)
        self.corrected = np.zeros(n, dtype=bool)
        self.disagreed = np.zeros(n, dtype=bool)
        self.by_label: dict[int, set[int]] = defaultdict(set)
        self.by_person: dict[str, set[int]] = defaultdict(set)
        self.by_source: dict[str, set[int]] = defaultdict(set)
        self.update(record.decisions.keys() | record.second_opinions.keys())

    def __len__(self) -> int:
        return len(self.number)

    def mask(self, documents: Collection[int]) -> Mask:
        """Return a mask of documents."""
        found = np.zeros(len(self), dtype=bool)
        found[np.fromiter(documents, dtype=np.int64, count=len(documents))] = True
        return found

    def update(self, documents: Iterable[int]) -> None:
        """Read the states of documents from the record again."""
        decided = [self._update(document) for document in documents]
        found = [one for one in decided if one is not None]
        if found:
            self._compare(found)

    def _update(self, document: int) -> Decision | None:
        """Update everything but the comparison with the predicted labels."""
        record = self.record
        decisions = record.decisions.get(document, [])
        opinions = record.second_opinions.get(document, [])
        current = decisions[-1] if decisions else None
        self._list(document, _known(decisions, opinions))
        self.number[document] = 0 if current is None else current.number
        self.corrected[document] = False
        self.disagreed[document] = opinions and disagreement_on(record, document) is not None
        return current

    def _list(self, document: int, new: _Known) -> None:
        old = self._known.get(document, _Known())
        self._known[document] = new
        for listed, before, after in zip(self._lists, old, new, strict=True):
            for key in before:
                if key not in after:
                    listed[key].discard(document)  # type: ignore[index]
            for key in after:
                listed[key].add(document)  # type: ignore[index]

    @property
    def _lists(self) -> tuple[dict[int, set[int]], dict[str, set[int]], dict[str, set[int]]]:
        return self.by_label, self.by_person, self.by_source

    def _compare(self, decisions: list[Decision]) -> None:
        """Note which decisions differ from the predicted labels."""
        documents = np.array([one.document for one in decisions])
        n_labels = np.array([len(one.labels) for one in decisions])
        labels = np.array([label for one in decisions for label in one.labels], dtype=np.int64)
        owner = np.repeat(np.arange(len(decisions)), n_labels)
        right = np.bincount(
            owner, self._predicted[documents[owner], labels], minlength=len(decisions)
        )
        n_predicted = self._predicted[documents].sum(axis=1)
        self.corrected[documents] = (n_labels != n_predicted) | (right != n_labels)


def _known(decisions: list[Decision], opinions: list[Decision]) -> _Known:
    if not opinions and len(decisions) == 1:  # most documents
        only = decisions[0]
        return _Known(only.labels, (only.who,), (source_of(only),))
    people = {one.who for one in (*decisions, *opinions)}
    sources = {source_of(one) for one in (*decisions[:1], *opinions)}
    labels = decisions[-1].labels if decisions else ()
    return _Known(labels, tuple(people), tuple(sources))


def source_of(decision: Decision) -> str:
    """Return why the person got the document; a decision that was not shown was imported."""
    shown = decision.details.get("shown")
    return IMPORTED if shown is None else str(shown["source"])
