"""Run satc with a clock that a test can move: ``moved_clock.py FILE ARGUMENTS``.

The file has the number of seconds by which the clock is ahead.
"""

from __future__ import annotations

import sys
import time
from datetime import datetime, tzinfo
from pathlib import Path

_true_time = time.time


class MovedDatetime(datetime):
    """A datetime whose present is that of the moved clock."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return datetime.fromtimestamp(time.time(), tz)


def move(file: Path) -> None:
    """Let this process read the time from the moved clock."""
    import satc.workbench.model.clock as clock

    time.time = lambda: _true_time() + float(file.read_text())
    clock.datetime = MovedDatetime


if __name__ == "__main__":
    move(Path(sys.argv.pop(1)))
    from satc.__main__ import main

    main()
