"""Webhooks, the messages that wait for them, and an index of the events of a document."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the tables of webhooks and of their messages."""
    op.create_index("ix_events_document", "events", ["project", "document", "number"])
    op.create_table(
        "webhooks",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.key"), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("kinds", sa.String(100), nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("was_finished", sa.Boolean, nullable=False),
        sa.Column("was_alarmed", sa.Boolean, nullable=False),
        sa.Column("n_failed", sa.Integer, nullable=False),
        sa.Column("failing_since", sa.String(40)),
        sa.Column("retry_at", sa.String(40)),
        sa.Index("ix_webhooks_project", "project"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "webhook_outbox",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column(
            "webhook",
            sa.Integer,
            sa.ForeignKey("webhooks.key", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("id", sa.String(40), nullable=False, unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("tried_at", sa.String(40)),
        sa.Column("n_tried", sa.Integer, nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("error", sa.Text),
        sa.Index("ix_webhook_outbox_state", "webhook", "state", "number"),
        sqlite_autoincrement=True,
    )
