"""The tables, as the queries use them; migrations create them.

Documents and classes are identified by their positions, as everywhere in satc. Times are texts in
ISO 8601 and UTC, so that both databases sort them alike. Rows of `events` are never changed.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()


def _project(*, primary_key: bool = False) -> Column[int]:
    return Column(
        "project", Integer, ForeignKey("projects.key"), primary_key=primary_key, nullable=False
    )


projects = Table(
    "projects",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("settings", JSON, nullable=False),
    Column("n_documents", Integer, nullable=False),
    Column("created_at", String(40), nullable=False),
)
classes = Table(
    "classes",
    metadata,
    _project(primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("name", Text, nullable=False),
)
documents = Table(
    "documents",
    metadata,
    _project(primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("id", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("columns", JSON, nullable=False),
    Column("rank", Integer),
    Column("utility", Float(53)),
    UniqueConstraint("project", "id", name="uq_documents_id"),
)
arrays = Table(
    "arrays",
    metadata,
    _project(primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
events = Table(
    "events",
    metadata,
    Column("number", Integer, primary_key=True),
    _project(),
    Column("at", String(40), nullable=False),
    Column("who", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("document", Integer, nullable=False),
    Column("labels", JSON),
    Column("lease", String(40)),
    Column("details", JSON, nullable=False),
    UniqueConstraint("project", "lease", name="uq_events_lease"),
    Index("ix_events_project", "project", "number"),
    sqlite_autoincrement=True,
)
leases = Table(
    "leases",
    metadata,
    Column("lease", String(40), primary_key=True),
    _project(),
    Column("document", Integer, nullable=False),
    Column("who", Text, nullable=False),
    Column("expires_at", String(40), nullable=False),
    Column("shown", JSON, nullable=False),
    UniqueConstraint("project", "document", "who", name="uq_leases_document"),
)
users = Table(
    "users",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("role", String(20), nullable=False),
    Column("password", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
)
tokens = Table(
    "tokens",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("user", String(100), ForeignKey("users.name", ondelete="CASCADE"), nullable=False),
    Column("created_at", String(40), nullable=False),
)
secrets = Table(
    "secrets",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)
