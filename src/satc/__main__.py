"""`python -m satc` runs the command `satc`.

Ctrl-C, `kill` and a closed terminal end the command in an orderly way: files that are half written
are removed, and the command prints one line. A second signal ends it at once. A signal can come
while code is compiled; what is half made then cannot be taken apart in the usual way, so the
program ends without doing that, after the functions that are registered for its end. It also ends
in this way while a thread works in the background, such as the estimates of a server: Python would
stop such a thread in the middle of compiled code, and the process could crash.

Worker processes of joblib end first: idle ones wait five minutes for more work, and the functions
that are registered for the end of the program wait for them.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupted(SystemExit):
    """A signal ends the program."""


def handle_signals() -> None:
    """Let signals end the program in an orderly way; the exit code is 128 plus the number."""
    for name in SIGNALS:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup sets this
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.write(2, b"satc: interrupted\n")
    sys.unraisablehook = _say_nothing  # about what is half made
    if (logging := sys.modules.get("logging")) is not None:
        logging.disable()  # libraries would log what the signal interrupts
    raise Interrupted(128 + number)


def _say_nothing(unraisable: object) -> None:
    pass


def _leave(code: int) -> None:
    """End the program now: no object is taken apart any more."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # nobody reads it any more
            continue
    os._exit(code)


def main() -> None:
    """Run the command line."""
    handle_signals()
    try:
        from satc.cli import main as run  # after the handlers: it takes a while, and may be ended

        run()
    except SystemExit as end:
        _end_workers()
        if isinstance(end, Interrupted) or _threads_are_left():
            _leave(int(end.code or 0))
        raise


def _end_workers() -> None:
    """End joblib's worker processes, and the threads that serve them.

    Python would do this in its own end of threads, which `_leave` does not reach.
    """
    loky: Any = sys.modules.get("joblib.externals.loky.reusable_executor")
    if loky is not None and loky._executor is not None:
        loky._executor.shutdown(wait=True, kill_workers=True)


def _threads_are_left() -> bool:
    """Whether a thread still runs that Python does not wait for."""
    return any(thread.daemon for thread in threading.enumerate())


if __name__ == "__main__":
    main()
