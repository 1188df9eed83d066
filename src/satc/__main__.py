"""`python -m satc` runs the command `satc`.

Ctrl-C, `kill` and a closed terminal end the command in an orderly way: files that are half written
are removed, and the command prints one line. A second signal ends it at once.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def handle_signals() -> None:
    """Let signals end the program in an orderly way; the exit code is 128 plus the number."""
    for name in SIGNALS:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup sets this
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.write(2, b"satc: interrupted\n")
    raise SystemExit(128 + number)


def main() -> None:
    """Run the command line."""
    handle_signals()
    from satc.cli import main as run  # after the handlers: it takes a while, and may be ended

    run()


if __name__ == "__main__":
    main()
