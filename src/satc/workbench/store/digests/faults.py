"""Faults: what is wrong with a stored project, and where."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from satc.workbench.store.connection import StoreError

CHANGED = "does not match its digest: it was changed after it was stored"
WAY_ON = "'satc verify' lists everything that is damaged, and 'satc restore' restores a backup"

# Errors that reading a damaged row can raise.
UNREADABLE = (
    SQLAlchemyError,
    sqlite3.Error,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)


class Fault(NamedTuple):
    """One thing that is wrong.

    Attributes
    ----------
    part : str
        The part of the project: file, settings, classes, documents, arrays, people, events, ...
    place : str
        Which document, event or array; the rest of the sentence follows.
    problem : str
        What is wrong with it.
    """

    part: str
    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place} {self.problem}"


class DamagedError(StoreError):
    """Something that is stored does not match its digest, or cannot be read.

    `fault` says what, without the address of the database.
    """

    def __init__(self, message: str, fault: str) -> None:
        super().__init__(message, fault)
        self.fault = fault

    def __str__(self) -> str:
        return str(self.args[0])


def unreadable(part: str, place: str, error: BaseException) -> Fault:
    """Return the fault of something that cannot be read."""
    if isinstance(error, DamagedError):
        return Fault(part, place, error.fault.removeprefix(f"{place} "))
    cause = str(getattr(error, "orig", None) or error).strip().partition("\n")[0][:200]
    return Fault(part, place, f"cannot be read: {cause or type(error).__name__}")
