"""Uploaded files that wait for their project: a file is previewed first, and used afterwards.

A file is uploaded once and known by a random token, which only the user who sent it can use. Files
are few, of limited size, and deleted after some hours, when their project is made, or when the
server stops.
"""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_urlsafe
from tempfile import mkdtemp
from threading import Lock
from time import monotonic
from typing import BinaryIO

from satc.errors import SatcError

MOST_PER_USER = 20
MOST_FILES = 100
MOST_BYTES = 8 << 30  # of all files together
SECONDS = 6 * 3600.0
COPIED_AT_ONCE = 1 << 20  # bytes; other threads work meanwhile
_TABLES = (".csv", ".tsv", ".xlsx", ".xlsm", ".jsonl", ".json", ".parquet")
ENDINGS = (*_TABLES, ".npy", ".npz", ".txt", ".gz")


class UnknownFileError(SatcError):
    """There is no such file, or it is another user's."""


class FullError(SatcError):
    """The server keeps as many files as it may."""


@dataclass(frozen=True)
class KeptFile:
    """A file: its token, owner, path, the name and size that it had, and its last use."""

    token: str
    owner: str
    path: Path
    name: str
    n_bytes: int
    used: float


class KeptFiles:
    """The files of a server that wait for their projects."""

    def __init__(self) -> None:
        self._folder = Path(mkdtemp(prefix="satc-kept-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._files: dict[str, KeptFile] = {}
        self._lock = Lock()

    def keep(self, owner: str, name: str, content: BinaryIO) -> KeptFile:
        """Save a file.

        Raises
        ------
        ValueError
            If the name does not end as files do that satc can read.
        FullError
            If there is no room for it.
        """
        ending = checked_ending(name, "the file")
        token = token_urlsafe(24)
        path = self._folder / token / f"file{ending}"
        self._make_room(owner)
        path.parent.mkdir()
        try:
            with path.open("wb") as target:
                shutil.copyfileobj(content, target, COPIED_AT_ONCE)
            kept = KeptFile(token, owner, path, name, path.stat().st_size, monotonic())
            self._add(kept)
        except BaseException:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return kept

    def get(self, owner: str, token: str) -> KeptFile:
        """Return a file of this user."""
        with self._lock:
            kept = self._files.get(token)
            if kept is None or kept.owner != owner:
                raise UnknownFileError("this file is no longer on the server; choose it again")
            self._files[token] = replace(kept, used=monotonic())
            return kept

    def link(self, owner: str, token: str, target: Path) -> Path:
        """Give a file a second name, so that it stays there if this one is deleted."""
        kept = self.get(owner, token)
        try:
            os.link(kept.path, target)
        except OSError:  # another file system
            shutil.copy(kept.path, target)
        return target

    def forget(self, owner: str, tokens: Iterable[str]) -> None:
        """Delete files of this user, if they are still there."""
        with self._lock:
            found = [self._files.get(token) for token in tokens]
            for kept in found:
                if kept is not None and kept.owner == owner:
                    self._delete(kept)

    def _add(self, kept: KeptFile) -> None:
        with self._lock:
            used = sum(one.n_bytes for one in self._files.values())
            if used + kept.n_bytes > MOST_BYTES:
                raise FullError("the server keeps too many large files; try again in an hour")
            self._files[kept.token] = kept

    def _make_room(self, owner: str) -> None:
        """Delete old files, and this user's oldest one beyond the limit."""
        with self._lock:
            now = monotonic()
            for one in [*self._files.values()]:
                if now - one.used > SECONDS:
                    self._delete(one)
            own = sorted((one.used, t) for t, one in self._files.items() if one.owner == owner)
            for _, token in own[: len(own) - MOST_PER_USER + 1]:
                self._delete(self._files[token])
            if len(self._files) >= MOST_FILES:
                raise FullError("the server keeps too many files; try again in an hour")

    def _delete(self, kept: KeptFile) -> None:
        self._files.pop(kept.token, None)
        shutil.rmtree(kept.path.parent, ignore_errors=True)


def checked_ending(name: str, what: str) -> str:
    """Return the ending of the name of an uploaded file; only known endings are used.

    >>> checked_ending("../answers.CSV.gz", "documents")
    '.csv.gz'
    >>> checked_ending("answers.exe", "documents")
    Traceback (most recent call last):
    ...
    ValueError: documents must be a file that ends in .csv, .tsv, .xlsx, .xlsm, .jsonl, .json, \
.parquet, .npy, .npz, .txt, .gz
    """
    suffixes = [suffix.lower() for suffix in Path(name).suffixes[-2:]]
    ending = "".join(suffix for suffix in suffixes if suffix in ENDINGS)
    if not ending or ending == ".gz":
        raise ValueError(f"{what} must be a file that ends in {', '.join(ENDINGS)}")
    return ending
