"""The tables, as the queries use them; migrations create them.

Documents and classes are identified by their positions, as everywhere in satc. Times are texts in
ISO 8601 and UTC, so that both databases sort them alike. Rows of `events` are never changed, except
that a person's name can be erased. Columns with `digest` in their names are explained in `digests`.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
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
    Column("classes_digest", String(64)),
    Column("digest", String(64)),
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
    Column("digest", String(64)),
    Column("rank_digest", String(64)),
    UniqueConstraint("project", "id", name="uq_documents_id"),
)
arrays = Table(
    "arrays",
    metadata,
    _project(primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    Column("digest", String(64)),
)
events = Table(
    "events",
    metadata,
    _project(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("who", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("document", Integer, nullable=False),
    Column("labels", JSON),
    Column("lease", String(40)),
    Column("details", JSON, nullable=False),
    Column("free_texts", JSON(none_as_null=True)),
    Column("digest", String(64)),
    UniqueConstraint("project", "lease", name="uq_events_lease"),
    Index("ix_events_document", "project", "document", "number"),
)
chains = Table(
    "chains",
    metadata,
    _project(primary_key=True),
    Column("n_events", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
)
persons = Table(
    "persons",
    metadata,
    _project(primary_key=True),
    Column("name", Text, primary_key=True),
    Column("salt", String(64)),
    Column("commitment", String(64), nullable=False),
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
    Column("opened_at", String(40)),
    UniqueConstraint("project", "document", "who", name="uq_leases_document"),
)
users = Table(
    "users",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("role", String(20), nullable=False),
    Column("password", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("subject", Text),
    Index("uq_users_subject", "subject", unique=True),
)
members = Table(
    "members",
    metadata,
    _project(primary_key=True),
    Column("user", String(100), ForeignKey("users.name", ondelete="CASCADE"), primary_key=True),
    Column("role", String(20), nullable=False),
)
tokens = Table(
    "tokens",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("user", String(100), ForeignKey("users.name", ondelete="CASCADE"), nullable=False),
    Column("created_at", String(40), nullable=False),
)
invitations = Table(
    "invitations",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("kind", String(10), nullable=False),
    Column("name", String(100), nullable=False, index=True),
    Column("role", String(20), nullable=False),
    Column("invited_by", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("expires_at", String(40), nullable=False),
    Column("used_at", String(40)),
    Column("projects", JSON),
)
secrets = Table(
    "secrets",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)
webhooks = Table(
    "webhooks",
    metadata,
    Column("key", Integer, primary_key=True),
    _project(),
    Column("url", Text, nullable=False),
    Column("kinds", String(100), nullable=False),  # separated by commas
    Column("secret", Text, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("was_finished", Boolean, nullable=False),  # when somebody looked the last time
    Column("was_alarmed", Boolean, nullable=False),
    Column("n_failed", Integer, nullable=False),  # attempts since the last success
    Column("failing_since", String(40)),
    Column("retry_at", String(40)),
    Index("ix_webhooks_project", "project"),
    sqlite_autoincrement=True,
)
webhook_outbox = Table(
    "webhook_outbox",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("webhook", Integer, ForeignKey("webhooks.key", ondelete="CASCADE"), nullable=False),
    Column("id", String(40), nullable=False, unique=True),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(10), nullable=False),  # waiting, delivered, given up
    Column("created_at", String(40), nullable=False),
    Column("tried_at", String(40)),
    Column("n_tried", Integer, nullable=False),
    Column("status", Integer),  # of the last answer
    Column("error", Text),
    Index("ix_webhook_outbox_state", "webhook", "state", "number"),
    sqlite_autoincrement=True,
)
