"""The tables of the search index, which differ between the two databases.

SQLite has a table of FTS5 without content: the texts are stored once, in `documents`. PostgreSQL
has a table of `tsvector` with a GIN index; another index would only tempt it to read all rows. In
both, rows are numbered by project and position. Both get the terms of `terms_of`: FTS5's tokenizer
`ascii` only splits them at spaces, and the `tsvector` is built without a parser.
"""

from __future__ import annotations

from sqlalchemy import Connection

TABLE = "document_search"
N_ROWS = 2**32  # numbers of rows that each project has

_SQLITE = (
    f"CREATE VIRTUAL TABLE {TABLE} USING fts5(terms, content='', columnsize=0, tokenize='ascii')",
)
_POSTGRESQL = (
    f"CREATE TABLE {TABLE} (entry bigint NOT NULL, terms tsvector NOT NULL)",
    f"CREATE INDEX ix_{TABLE}_terms ON {TABLE} USING gin (terms)",
)


def create_tables(connection: Connection) -> None:
    """Create the empty index."""
    statements = _SQLITE if is_sqlite(connection) else _POSTGRESQL
    for statement in statements:
        connection.exec_driver_sql(statement)


def is_sqlite(connection: Connection) -> bool:
    """Whether a connection leads to a SQLite file."""
    return connection.dialect.name == "sqlite"


def first_row(project: int) -> int:
    """Return the number of the row of a project's first document."""
    return project * N_ROWS
