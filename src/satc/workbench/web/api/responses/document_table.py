"""Response bodies for the table of documents."""

from __future__ import annotations

from satc.workbench.review.documents.rows import DocumentRow
from satc.workbench.review.documents.table import PAGE, TablePage
from satc.workbench.web.api.models.document_table import (
    DocumentRowOut,
    DocumentTableOut,
    ExcerptPiece,
    OpinionLine,
)


def table_response(found: TablePage, rows: list[DocumentRow], page: int) -> DocumentTableOut:
    """Show one page of the table."""
    return DocumentTableOut(
        documents=[_row_response(row) for row in rows],
        total=found.total,
        page=page,
        n_pages=max(1, -(-found.total // PAGE)),
        people=found.people,
    )


def _row_response(row: DocumentRow) -> DocumentRowOut:
    decision = row.decision
    return DocumentRowOut(
        index=row.document,
        id=row.id,
        excerpt=[ExcerptPiece(text=one.text, match=one.is_match) for one in row.excerpt],
        predicted=None if row.predicted is None else list(row.predicted),
        is_decided=row.is_decided,
        hidden=row.is_decided and decision is None,
        labels=None if decision is None else list(decision.labels),
        who=None if decision is None else decision.who,
        when=None if decision is None else decision.at,
        opinions=[OpinionLine(who=one.who, labels=list(one.labels)) for one in row.opinions],
        **row.marks.model_dump(),
    )
