"""One page of the table of documents: those that pass the filters, in order.

The table belongs to one open project. It keeps the states of the documents, and the ids and lengths
by which they are sorted.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Thread
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.errors import SatcError
from satc.workbench.review.desk import Desk
from satc.workbench.review.documents.filters import Filters, passing
from satc.workbench.review.documents.sorting import (
    Sort,
    id_keys,
    rank_keys,
    sorted_documents,
    when_keys,
)
from satc.workbench.review.documents.states import DocumentStates
from satc.workbench.review.documents.visibility import Hidden, Reader, hidden_from
from satc.workbench.store.documents import ids_of, lengths_of
from satc.workbench.store.search.finding import find_documents
from satc.workbench.store.search.query import Query

PAGE = 50  # documents on one page
STORED: tuple[Sort, ...] = ("id", "length")  # orders that never change


@dataclass(frozen=True)
class Order:
    """How a table is sorted, and which page of it is shown; pages are counted from 1."""

    by: Sort = "rank"
    descending: bool = False
    page: int = 1


class ListedDocument(NamedTuple):
    """A document on a page; `hides_decision`, `hides_prediction`: the person must not see them."""

    document: int
    hides_decision: bool
    hides_prediction: bool


class TablePage(NamedTuple):
    """The documents of one page, how many pass the filters, and the people who decided."""

    documents: list[ListedDocument]
    total: int
    people: list[str]


class DocumentTable:
    """The table of the documents of an open project."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._states: DocumentStates | None = None
        self._keys: dict[tuple[str, int], NDArray[np.int64]] = {}  # by what, of how many documents
        self._reading = Lock()

    def prepare(self) -> None:
        """Read what the pages need in the background, so that the first page comes at once."""
        Thread(target=self._prepare, name="prepare the table", daemon=True).start()

    def _prepare(self) -> None:
        with suppress(SatcError):  # whoever opens the page is told
            with self._desk.reading():
                self._present_states()
            for by in STORED:
                self._stored_keys(by)

    def page(
        self, reader: Reader, query: Query | None, filters: Filters, order: Order
    ) -> TablePage:
        """Return one page; a query is looked up in the store."""
        desk = self._desk
        found = None if query is None else find_documents(desk.store, desk.project.key, query)
        stored = self._stored_keys(order.by)
        with desk.reading():
            states = self._present_states()
            hidden = hidden_from(desk, states, reader)
            mask = passing(desk, states, filters, hidden)
            if found is not None:
                mask &= states.mask(found[found < len(states)])
            documents = np.flatnonzero(mask)
            keys = self._sort_keys(states, hidden, order.by) if stored is None else stored
            people = sorted(name for name, read in states.by_person.items() if read)
        if len(keys) < len(states):  # the project has just grown
            keys = np.concatenate([keys, np.arange(len(keys), len(states))])
        ordered = sorted_documents(documents, keys, descending=order.descending)
        first = (order.page - 1) * PAGE
        listed = [
            ListedDocument(i, bool(hidden.decisions[i]), bool(hidden.predictions[i]))
            for i in ordered[first : first + PAGE].tolist()
        ]
        return TablePage(listed, len(documents), people)

    def _present_states(self) -> DocumentStates:
        """Return the states; they are built when they are first needed or the project has grown.

        They are also built again if the record was read from the store again.
        """
        desk, states = self._desk, self._states
        if states is None:
            desk.state.on_change = self._update
        elif states.record is desk.record and len(states) == desk.project.n_documents:
            return states
        self._states = DocumentStates(desk.record, desk.validation.documents.decided)
        return self._states

    def _update(self, document: int) -> None:
        if self._states is not None and document < len(self._states):
            self._states.update([document])

    def _sort_keys(self, states: DocumentStates, hidden: Hidden, by: Sort) -> NDArray[np.int64]:
        if by == "rank":
            return rank_keys(self._desk, states)
        return when_keys(states, hidden) if by == "when" else np.arange(len(states))

    def _stored_keys(self, by: Sort) -> NDArray[np.int64] | None:
        """Return the keys of an order that never changes, read from the store once."""
        if by not in STORED:
            return None
        known = by, self._desk.project.n_documents
        with self._reading:
            if known not in self._keys:
                self._keys[known] = self._read_keys(by)
            return self._keys[known]

    def _read_keys(self, by: Sort) -> NDArray[np.int64]:
        store, project = self._desk.store, self._desk.project.key
        if by == "id":
            return id_keys(ids_of(store, project))
        return np.array(lengths_of(store, project), dtype=np.int64)
