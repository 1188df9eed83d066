"""What people are told over HTTP when the database cannot do something.

Messages of databases name hosts, ports, paths and users. The administrator reads them in the log of
the server; everybody else gets a sentence without them.
"""

from __future__ import annotations

from satc.workbench.messages import Message
from satc.workbench.store.connection import (
    FileMovedError,
    Store,
    StoreConflictError,
    StoreError,
)
from satc.workbench.store.digests.faults import DamagedError

_FULL = ("disk is full", "no space left", "could not extend file", "disk quota")
_THE_STORE = "the database"


def tell_outage(error: StoreError) -> Message:
    """Return the sentence about an error of the store.

    An error whose argument is a message was written for people, and is told as it is.
    """
    if len(error.args) == 1 and isinstance(error.args[0], Message):
        return error.args[0]
    if isinstance(error, StoreConflictError):
        return Message("server.store_conflict")
    if isinstance(error, FileMovedError):
        return Message("server.store_moved")
    if isinstance(error, DamagedError):
        return Message("server.store_damaged", fault=error.fault)
    is_full = any(sign in str(error).lower() for sign in _FULL)
    return Message("server.store_full" if is_full else "server.store_unavailable")


def tell_error(error: Exception) -> Message | str:
    """Return what people are told about any error: its message, without the database."""
    if isinstance(error, StoreError):
        return tell_outage(error)
    said = error.args[0] if len(error.args) == 1 else error
    if isinstance(said, Message):
        return said
    return str(said).strip() or type(error).__name__


def without_address(text: str, store: Store) -> str:
    """Return a text without the path or address of a store."""
    return text.replace(store.location, _THE_STORE)
