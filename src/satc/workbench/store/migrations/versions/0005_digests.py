"""Digests of what is stored, a chain of events, and event numbers that are those of a project."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from satc.workbench.store.digests.filling import fill_digests

revision = "0005"
down_revision = "0004"

_FIELDS = "number, project, at, who, kind, document, labels, lease, details"


def upgrade() -> None:
    """Create the columns and tables of digests, and fill them."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        _number_by_project_in_sqlite()
    else:
        _number_by_project_in_postgresql()
    op.add_column("events", sa.Column("free_texts", sa.JSON))
    for table, column in (
        ("events", "digest"),
        ("documents", "digest"),
        ("documents", "rank_digest"),
        ("arrays", "digest"),
        ("projects", "classes_digest"),
        ("projects", "digest"),
    ):
        op.add_column(table, sa.Column(column, sa.String(64)))
    op.create_table(
        "chains",
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.key"), primary_key=True),
        sa.Column("n_events", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    op.create_table(
        "persons",
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.key"), primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("salt", sa.String(64)),
        sa.Column("commitment", sa.String(64), nullable=False),
    )
    fill_digests(connection)


def _number_by_project_in_sqlite() -> None:
    """Make project and number the key of an event: a table with that key replaces the former."""
    op.drop_index("ix_events_project", "events")
    op.rename_table("events", "former_events")
    op.create_table(
        "events",
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.key"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("document", sa.Integer, nullable=False),
        sa.Column("labels", sa.JSON),
        sa.Column("lease", sa.String(40)),
        sa.Column("details", sa.JSON, nullable=False),
        sa.UniqueConstraint("project", "lease", name="uq_events_lease"),
    )
    op.execute(f"INSERT INTO events ({_FIELDS}) SELECT {_FIELDS} FROM former_events")  # noqa: S608
    op.drop_table("former_events")


def _number_by_project_in_postgresql() -> None:
    op.drop_constraint("events_pkey", "events")
    op.create_primary_key("events_pkey", "events", ["project", "number"])
    op.drop_index("ix_events_project", "events")
    op.execute("ALTER TABLE events ALTER COLUMN number DROP DEFAULT")
    op.execute("DROP SEQUENCE IF EXISTS events_number_seq")
