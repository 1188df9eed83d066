"""Route for the table of documents: filters, search, order, one page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from satc.workbench.messages import Message
from satc.workbench.review.documents.rows import rows_of
from satc.workbench.review.documents.table import Order
from satc.workbench.review.documents.visibility import Reader
from satc.workbench.store.search.query import parse_query
from satc.workbench.web.api.dependencies import CurrentProject, CurrentUser
from satc.workbench.web.api.models.document_table import DocumentTableOut, TableQuery
from satc.workbench.web.api.responses.document_table import table_response

router = APIRouter(prefix="/projects/{name}/documents")


@router.get("")
def documents(
    user: CurrentUser, project: CurrentProject, asked: Annotated[TableQuery, Query()]
) -> DocumentTableOut:
    """List the documents that pass all filters, 50 on a page."""
    for label in (asked.predicted, asked.decided):
        if label is not None and label >= len(project.desk.project.classes):
            raise HTTPException(404, Message("server.no_such_class", number=label))
    query = parse_query(asked.q) if asked.q.strip() else None
    by, is_descending = asked.sort.removeprefix("-"), asked.sort.startswith("-")
    order = Order(by, is_descending, asked.page)  # type: ignore[arg-type]
    reader = Reader(user.name, user.is_manager)
    found = project.document_table.page(reader, query, asked, order)
    return table_response(found, rows_of(project.desk, found.documents, query), asked.page)
