"""Rights per project: everybody who could log in before stays a member of every project."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table of members; users know their account at the company's login."""
    op.create_table(
        "members",
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.key"), primary_key=True),
        sa.Column(
            "user",
            sa.String(100),
            sa.ForeignKey("users.name", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("role", sa.String(20), nullable=False),
    )
    op.add_column("users", sa.Column("subject", sa.Text))
    op.create_index("uq_users_subject", "users", ["subject"], unique=True)
    op.add_column("invitations", sa.Column("projects", sa.JSON))
    _keep_rights(op.get_bind())


def _keep_rights(connection: sa.Connection) -> None:
    """Make all users, and all people who are invited, members of all projects."""
    connection.execute(
        sa.text(
            'INSERT INTO members (project, "user", role) '
            "SELECT projects.key, users.name, 'annotator' FROM projects CROSS JOIN users"
        )
    )
    names = list(connection.execute(sa.text("SELECT name FROM projects")).scalars())
    connection.execute(
        sa.text("UPDATE invitations SET projects = :names"), {"names": json.dumps(names)}
    )
