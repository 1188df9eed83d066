"""Add documents to a stored project that holds the best part of a larger set."""

from __future__ import annotations

from collections.abc import Sequence

from satc.files import Documents
from satc.ranking.documents import RankedDocuments
from satc.ranking.ranking import ranked
from satc.workbench.project.creation import store_ranking
from satc.workbench.store import Transaction
from satc.workbench.store.documents import add_documents
from satc.workbench.store.predictions import append_scores


def store_more(
    connection: Transaction,
    key: int,
    first: int,
    blocks: Sequence[Documents],
    ranked_documents: RankedDocuments,
) -> None:
    """Store documents from position `first` on; the last argument has all documents."""
    position = first
    for documents in blocks:
        end = position + len(documents)
        add_documents(connection, key, position, documents)
        append_scores(connection, key, ranked_documents.scores[position:end])
        position = end
    store_ranking(connection, key, ranked(ranked_documents), first)
