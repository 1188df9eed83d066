"""`python -m satc` is the command `satc`, which ends quietly when it is told to.

Ctrl-C, `kill` and a closed terminal end it in order: what it was writing is taken back, and it says
so in one line. A second signal ends it at once.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def heed_signals() -> None:
    """Let signals end the program in order, with 128 and their number as the exit code."""
    for name in SIGNALS:
        number = getattr(signal, name, None)  # not every system has all
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # as nohup sets
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.write(2, b"satc: interrupted\n")
    raise SystemExit(128 + number)


def main() -> None:
    """Run the command line."""
    heed_signals()
    from satc.cli import main as run  # takes its time, in which somebody may change their mind

    run()


if __name__ == "__main__":
    main()
