"""Write a file or a folder in one step: complete at its place, or not there at all."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satc.errors import DataError


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give a temporary path beside `target`, which takes its place when the block succeeds.

    If the block fails, an earlier `target` is left as it was and nothing else stays behind.
    """
    temporary = target.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        yield temporary
        _settle(temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """Give a new folder beside `target`, which takes its place when the block succeeds.

    If the block fails, an earlier `target` is left as it was and nothing else stays behind.
    """
    temporary, former = (
        target.with_name(f".{target.name}.{uuid.uuid4().hex}.{what}") for what in ("tmp", "old")
    )
    temporary.mkdir(parents=True)
    try:
        yield temporary
        if target.exists():
            target.rename(former)
        temporary.rename(target)
    finally:
        if former.exists() and not target.exists():  # stopped between the two names
            former.rename(target)
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


@contextmanager
def placed(target: Path) -> Iterator[Path]:
    """Do as `replacing`, and say in one line why a file could not be written."""
    with faults(target), replacing(target) as temporary:
        yield temporary


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turn what the file system and the encoder raise into a `DataError` that names the file."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise DataError(
            f"{path} cannot be written: texts must be Unicode, but one has half of a surrogate "
            f"pair (U+{ord(error.object[error.start]):04X})"
        ) from error


def _settle(path: Path) -> None:
    """Bring a file to the disk, which may be full: its name must not get there before it."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
