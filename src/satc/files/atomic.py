"""Write a file or a folder atomically: it appears complete at its place, or not at all."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satc.errors import DataError


@contextmanager
def atomic_file(target: Path) -> Iterator[Path]:
    """Give a temporary path beside `target` and rename it to `target` when the block succeeds.

    If the block fails, the temporary file is removed and an earlier `target` is left unchanged.
    """
    temporary = target.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        yield temporary
        _flush_to_disk(temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_named_file(target: Path) -> Iterator[Path]:
    """Do as `atomic_file`; the temporary path has the name of `target`, in a folder beside it."""
    folder = target.with_name(f".{uuid.uuid4().hex}.tmp")
    folder.mkdir()
    try:
        yield folder / target.name
        _flush_to_disk(folder / target.name)
        os.replace(folder / target.name, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path]:
    """Give a temporary folder beside `target` and rename it to `target` when the block succeeds.

    If the block fails, the temporary folder is removed and an earlier `target` is left unchanged.
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
        if former.exists() and not target.exists():  # interrupted between the two renames
            former.rename(target)
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


@contextmanager
def output_file(target: Path) -> Iterator[Path]:
    """Do as `atomic_file`, with the errors of `writing_errors`."""
    with writing_errors(target), atomic_file(target) as temporary:
        yield temporary


@contextmanager
def writing_errors(path: Path) -> Iterator[None]:
    """Turn errors of the file system and of the encoder into a `DataError` that names the file."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise DataError(
            f"{path} cannot be written: texts must be Unicode, but one has half of a surrogate "
            f"pair (U+{ord(error.object[error.start]):04X})"
        ) from error


def _flush_to_disk(path: Path) -> None:
    """Wait until the content is on the disk, so that a crash cannot leave an empty `target`."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
