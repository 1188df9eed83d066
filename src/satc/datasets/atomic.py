"""Write a file or a folder in one step: complete at its place, or not there at all."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give a temporary path beside `target`, which takes its place when the block succeeds.

    If the block fails, an earlier `target` is left as it was and nothing else stays behind.
    """
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        yield temporary
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
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)
