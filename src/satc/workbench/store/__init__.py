"""The store: the only part that uses a database, a SQLite file or PostgreSQL."""

from __future__ import annotations

from satc.workbench.store.connection import Store, StoreError, Transaction, open_store

__all__ = ["Store", "StoreError", "Transaction", "open_store"]
