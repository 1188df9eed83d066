"""Add documents to a stored project that holds the best part of a larger set.

The documents are stored in short transactions, so that nobody has to wait for long in between. Each
transaction stores documents with their scores, labels and probabilities. If the rest is never
stored, the project holds fewer documents, and the former bound on the others is still true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from satc.files import Documents
from satc.ranking.documents import RankedDocuments
from satc.ranking.ranking import Ranking, ranked
from satc.ranking.unfetched import UnfetchedBound
from satc.workbench.store import Store
from satc.workbench.store.documents import add_documents, set_ranks
from satc.workbench.store.larger_set import put_bound
from satc.workbench.store.predictions import append_ranking, append_scores

_AT_ONCE = 200  # documents in one transaction


def store_more(
    store: Store,
    key: int,
    first: int,
    blocks: Sequence[Documents],
    ranked_documents: RankedDocuments,
) -> None:
    """Store documents from position `first` on; the last argument has all documents."""
    ranking, position = ranked(ranked_documents), first
    for documents in _short(blocks):
        end = position + len(documents)
        with store.writing(durable=False) as connection:
            add_documents(connection, key, position, documents)
            append_scores(connection, key, ranked_documents.scores[position:end])
            labels = ranked_documents.decided[position:end]
            append_ranking(connection, key, labels, ranking.probability[position:end])
        position = end
    store_ranks(store, key, ranking, first)


def store_ranks(store: Store, key: int, ranking: Ranking, first: int) -> None:
    """Store the ranks of the documents from `first` on, which come after the others."""
    new = [i for i in ranking.order.tolist() if i >= first]
    utility = ranking.utility.tolist()
    ranks = [(i, rank, utility[i]) for rank, i in enumerate(new, start=first + 1)]
    for start in range(0, len(ranks), _AT_ONCE):
        with store.writing(durable=False) as connection:
            set_ranks(connection, key, ranks[start : start + _AT_ONCE])


def store_bound(store: Store, key: int, fetch: int, bound: UnfetchedBound) -> None:
    """Store the bound after a fetch, once all of its documents are stored."""
    with store.writing() as connection:
        put_bound(connection, key, fetch, bound)


def _short(blocks: Sequence[Documents]) -> Iterator[Documents]:
    """Divide documents into parts that are stored in one transaction each."""
    for documents in blocks:
        for start in range(0, len(documents), _AT_ONCE):
            yield documents.at(range(start, min(start + _AT_ONCE, len(documents))))
