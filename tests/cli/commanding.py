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
