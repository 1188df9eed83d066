"""Response bodies for documents."""

from __future__ import annotations

from typing import Any

from satc.texts.columns import Columns
from satc.workbench.review.desk import Desk
from satc.workbench.store.documents import StoredDocument, get_document
from satc.workbench.web.api.checks import is_blind
from satc.workbench.web.api.models.documents import DocumentOut, DocumentState


def document_response(desk: Desk, index: int, stored: StoredDocument | None = None) -> DocumentOut:
    """Show a document as it was imported, without columns that say which labels it has.

    The column `labels`, and columns named like a class, may hold labels already: people decide
    without them. The document is read unless it is given as `stored`.
    """
    found = stored or get_document(desk.store, desk.project.key, index)
    columns = _shown_columns(desk, found.columns) if found.columns else {}
    return DocumentOut(index=found.position, id=found.id, text=found.text, columns=columns)


def _shown_columns(desk: Desk, columns: dict[str, Any]) -> dict[str, Any]:
    hidden = {*desk.project.classes, Columns.labels_column}
    return {name: value for name, value in columns.items() if name not in hidden}


def document_state(desk: Desk, index: int, user: str) -> DocumentState:
    """Show a document with its present labels; a second reader does not see the first opinion."""
    second = desk.leases.is_second_reader(user, index)
    standing = None if second else desk.record.current_decision(index)
    predicted = list(desk.state.predicted(index))
    hidden = is_blind(desk, index, user)
    return DocumentState(
        document=document_response(desk, index),
        labels=list(standing.labels) if standing is not None else [] if hidden else predicted,
        predicted=None if hidden else predicted,
        source="automatic" if standing is None else "human",
        who=None if standing is None else standing.who,
        when=None if standing is None else standing.at,
        flagged=index in desk.record.flagged and not second,
        note="" if second else desk.record.notes.get(index, ""),
    )
