"""Put a file in its place complete or not at all, and say in one line why it could not be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satc.datasets.atomic import replacing
from satc.errors import DataError


@contextmanager
def placed(path: Path) -> Iterator[Path]:
    """Give a temporary path that takes the place of `path` when the block succeeds."""
    with faults(path), replacing(path) as temporary:
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
