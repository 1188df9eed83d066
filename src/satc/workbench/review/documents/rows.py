"""The rows of the table of documents, as a person may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from satc.workbench.model.disagreements import disagreement_on
from satc.workbench.model.record import Decision
from satc.workbench.review.desk import Desk
from satc.workbench.review.documents.filters import SourceName
from satc.workbench.review.documents.states import source_of
from satc.workbench.review.documents.table import ListedDocument
from satc.workbench.store.documents import snippets
from satc.workbench.store.search.excerpts import LOOKED_AT, Piece, excerpt
from satc.workbench.store.search.query import Query


class DocumentMarks(BaseModel):
    """What has happened to a document; the route has the same fields."""

    corrected: bool
    disagreed: bool
    flagged: bool
    note: str
    skipped: bool
    sources: list[SourceName] = Field(description="Why people read the document.")
    open_by: str | None = Field(description="Who has the document open now.")


class DocumentRow(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    excerpt
        The beginning of the text, or the part of it around the first match.
    predicted
        The predicted labels; None if they are hidden.
    is_decided, decision
        Whether somebody has decided, and the decision in force; None if it is hidden.
    opinions
        The second opinions.
    marks
        What has happened to the document.
    """

    document: int
    id: str
    excerpt: list[Piece]
    predicted: tuple[int, ...] | None
    is_decided: bool
    decision: Decision | None
    opinions: Sequence[Decision]
    marks: DocumentMarks


def rows_of(
    desk: Desk, listed: Sequence[ListedDocument], query: Query | None, looked_at: int = LOOKED_AT
) -> list[DocumentRow]:
    """Return the rows of some documents; matches of a query are marked."""
    positions = [one.document for one in listed]
    found = snippets(desk.store, desk.project.key, positions, looked_at)
    with desk.reading():
        skipped = desk.record.skipped
        readers = {one.document: one.who for one in desk.leases.unexpired()}
        return [
            _row(
                desk,
                one,
                *found[one.document],
                query or Query(()),
                skipped=one.document in skipped,
                open_by=readers.get(one.document),
            )
            for one in listed
        ]


def _row(
    desk: Desk,
    listed: ListedDocument,
    identity: str,
    text: str,
    query: Query,
    *,
    skipped: bool,
    open_by: str | None,
) -> DocumentRow:
    document, record = listed.document, desk.record
    is_seen = not listed.hides_decision
    given = record.decisions.get(document, [])
    opinions = record.second_opinions.get(document, []) if is_seen else []
    current = given[-1] if given and is_seen else None
    predicted = None if listed.hides_prediction else desk.state.predicted(document)
    return DocumentRow(
        document=document,
        id=identity,
        excerpt=excerpt(text, query),
        predicted=predicted,
        is_decided=bool(given),
        decision=current,
        opinions=tuple(opinions),
        marks=DocumentMarks(
            corrected=_is_corrected(current, predicted),
            disagreed=is_seen and disagreement_on(record, document) is not None,
            flagged=is_seen and document in record.flagged,
            note=record.notes.get(document, "") if is_seen else "",
            skipped=skipped and not given,
            sources=_sources(desk, document, [*given[:1], *opinions] if is_seen else []),
            open_by=open_by,
        ),
    )


def _is_corrected(current: Decision | None, predicted: tuple[int, ...] | None) -> bool:
    return current is not None and predicted is not None and current.labels != predicted


def _sources(desk: Desk, document: int, given: Sequence[Decision]) -> list[Any]:
    drawn = ["audit"] if document in desk.record.drawn_for_audit else []
    return list(dict.fromkeys([*drawn, *map(source_of, given)]))
