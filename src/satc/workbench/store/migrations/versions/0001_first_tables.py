"""First tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _project(*, primary_key: bool = False) -> sa.Column[int]:
    return sa.Column(
        "project",
        sa.Integer,
        sa.ForeignKey("projects.key"),
        primary_key=primary_key,
        nullable=False,
    )


def upgrade() -> None:
    """Create the tables of projects, events, leases and users."""
    op.create_table(
        "projects",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("n_documents", sa.Integer, nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
    )
    op.create_table(
        "classes",
        _project(primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
    )
    op.create_table(
        "documents",
        _project(primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("columns", sa.JSON, nullable=False),
        sa.Column("rank", sa.Integer),
        sa.Column("utility", sa.Float(53)),
        sa.UniqueConstraint("project", "id", name="uq_documents_id"),
    )
    op.create_table(
        "arrays",
        _project(primary_key=True),
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("part", sa.Integer, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("number", sa.Integer, primary_key=True),
        _project(),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("document", sa.Integer, nullable=False),
        sa.Column("labels", sa.JSON),
        sa.Column("lease", sa.String(40)),
        sa.Column("details", sa.JSON, nullable=False),
        sa.UniqueConstraint("project", "lease", name="uq_events_lease"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_project", "events", ["project", "number"])
    op.create_table(
        "leases",
        sa.Column("lease", sa.String(40), primary_key=True),
        _project(),
        sa.Column("document", sa.Integer, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("expires_at", sa.String(40), nullable=False),
        sa.Column("shown", sa.JSON, nullable=False),
        sa.UniqueConstraint("project", "document", "who", name="uq_leases_document"),
    )
    op.create_table(
        "users",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("password", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column(
            "user",
            sa.String(100),
            sa.ForeignKey("users.name", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("created_at", sa.String(40), nullable=False),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
