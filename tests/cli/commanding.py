"""Run `satc` in this process, because a new process takes seconds to start."""

from __future__ import annotations

import io
import os
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from satc.cli import main


class Done(NamedTuple):
    """The exit code and the output of a command."""

    returncode: int
    stdout: str
    stderr: str


STEPS = ("opening", "reading", "estimating", "ranking", "writing")  # how steps of work begin


def refused(done: Done, message: str) -> None:
    """Check that a command failed with one line, besides the steps that it had named before."""
    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    lines = [line.removeprefix("satc: ") for line in done.stderr.strip().splitlines()]
    assert len([line for line in lines if not line.startswith(STEPS)]) == 1, done.stderr


def command(*arguments, cwd=".", stdin="", **variables) -> Done:
    """Run `satc` with these arguments and environment variables."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["satc", *map(str, arguments)]
    with (
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "argv", argv),
        patch.object(sys, "stdin", io.StringIO(stdin)),
        patch.dict(os.environ, variables),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Done(code, out.getvalue(), err.getvalue())
