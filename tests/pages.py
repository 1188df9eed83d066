"""Do what a page of the documentation says: write its files, run its Python and its commands.

A fenced block with a title is a file; other `python` blocks are run, one after the other; in
`console` blocks the lines after ``$`` are commands. The output that a page shows must be printed,
line by line in that order; spaces and numbers may differ.
"""

from __future__ import annotations

import importlib
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from satc.cli import app
from satc.cli.show import say_warning
from satc.errors import GuessedFormatWarning

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
_FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    kind: str
    title: str
    text: str


class Step(NamedTuple):
    """A command, and the lines of its output that the page shows."""

    command: str
    shown: list[str]


def blocks(page: str) -> list[Block]:
    return [Block(*found) for found in _FENCE.findall(page)]


def steps(text: str) -> Iterator[Step]:
    """Read a console block; after a backslash, the command continues in the next line."""
    found: list[Step] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:], []))
        else:
            found[-1].shown.append(line)
    yield from found


def follow(page: Path) -> int:
    """Do what a page says, in the current folder; return the number of steps."""
    names: dict[str, object] = {"__name__": "page"}
    done, printed = 0, ""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.title:
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            printed, done = run_python(block.text, page, names), done + 1
        elif block.kind == "text":
            check(block.text.splitlines(), printed, page.name)
        elif block.kind == "console":
            for step in steps(block.text):
                check(step.shown, run(step.command), step.command)
                done += 1
    return done


def run_python(text: str, page: Path, names: dict[str, object]) -> str:
    with redirect_stdout(StringIO()) as printed:
        exec(compile(text, str(page), "exec"), names)  # noqa: S102
    return printed.getvalue()


def run(command: str) -> str:
    """Run a command of a page; return its output."""
    given, _, rest = command.rpartition(" | ")
    program, *arguments = shlex.split(rest)
    if program == "python":
        return run_script(*arguments)
    if program == "pip":
        return install_here(*arguments)
    if (program, *arguments[:1]) == ("satc", "serve"):
        return serve_for_a_moment(arguments[1:])
    assert program == "satc", f"a page may call satc, python and pip, but calls {program}"
    stdin = " ".join(shlex.split(given)[1:]) + "\n" if given else None
    with warnings.catch_warnings():
        warnings.simplefilter("default", GuessedFormatWarning)  # as the command shows them
        warnings.showwarning = say_warning
        result = CliRunner().invoke(app, arguments, input=stdin)
    assert result.exit_code == 0, f"{command}: {result.output}{result.exception!r}"
    return result.output


def install_here(*arguments: str) -> str:
    """Install a package into the current folder, which tests put on the search path."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-deps", "--no-build-isolation", "--target", "."]
    done = subprocess.run([*pip, *arguments, *offline], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    importlib.invalidate_caches()
    return ""


def run_script(name: str, *arguments: str) -> str:
    before = sys.argv
    sys.argv = [name, *arguments]
    try:
        with redirect_stdout(StringIO()) as printed:
            runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    finally:
        sys.argv = before
    return printed.getvalue()


def serve_for_a_moment(arguments: list[str]) -> str:
    """Start a server, wait for the line with its address, and kill it."""
    command = [sys.executable, "-m", "satc", "serve", *arguments, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline()
        process.kill()
    return said


def check(shown: list[str], printed: str, where: str) -> None:
    """Check that every shown line is printed, in this order; dots stand for any rest of a line."""
    left = iter([plain(line) for line in printed.splitlines()])
    for line in shown:
        start, cut, _ = line.rstrip().partition("...")
        wanted = plain(start)
        found = any(one.startswith(wanted) if cut else one == wanted for one in left)
        assert found, f"{where} must print {line!r}, but prints:\n{printed}"


def plain(line: str) -> str:
    """Return a line without its numbers and spaces; an address counts as a number."""
    line = re.sub(r"https?://\S+", "#", line)
    return re.sub(r"#+", "#", re.sub(r"[\d.,%]+|\s+", "#", line.strip()))
