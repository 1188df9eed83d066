"""The search index, with the documents that are stored already."""

from __future__ import annotations

from alembic import op

from satc.workbench.store.search.indexing import index_stored
from satc.workbench.store.search.tables import create_tables

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the index of documents, and fill it."""
    connection = op.get_bind()
    create_tables(connection)
    index_stored(connection)
