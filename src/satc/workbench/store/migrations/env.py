"""Alembic's entry point: migrations run on the connection that the store hands over."""

from __future__ import annotations

from alembic import context

from satc.workbench.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
