"""Which tables are part of a project, of a store, or of neither, for copies between databases."""

from __future__ import annotations

from sqlalchemy import Table

from satc.workbench.store import schema

# Rows of a project, parents first; the accounts of its members come before them.
OF_PROJECT: tuple[Table, ...] = (
    schema.classes,
    schema.documents,
    schema.arrays,
    schema.events,
    schema.chains,
    schema.persons,
    schema.members,
)
# Accounts, which all projects of a store share; users come before their tokens.
OF_STORE: tuple[Table, ...] = (schema.users, schema.tokens)
# Not restored: open documents, links to join, the key of the sessions; webhooks, whose receivers
# have been told everything already.
LEFT_OUT: tuple[Table, ...] = (
    schema.leases,
    schema.invitations,
    schema.secrets,
    schema.webhook_outbox,
    schema.webhooks,
)
