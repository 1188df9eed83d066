"""Write files of results: each file is complete, or is not there at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import typer

from satc.cli.show import say


def make_folder(path: Path) -> None:
    """Make the directory of --output, before the work begins; refuse one that cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(
            f"--output must be a directory that can be made, but {path} is not: {error.strerror}"
        ) from None


def write_columns(path: Path, columns: Mapping[str, Sequence[Any]], *, excel: bool = False) -> None:
    """Write a table; the ending of the file decides the format, and `excel` is that of --excel."""
    from satc.files import write_table

    write_table(path, columns, excel=excel)
    say(f"wrote {path}")


def write_picture(path: Path, chart: Any) -> None:
    """Write a chart; the ending of the file decides the format."""
    from satc.evaluation.plot import rendered
    from satc.files.atomic import output_file

    with output_file(path) as temporary:
        temporary.write_bytes(rendered(chart, path.suffix.lower()))
    say(f"wrote {path}")


def write_text(path: Path, text: str) -> None:
    """Write a text."""
    write_texts({path: text})


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write texts that belong together: all are complete before the first file is replaced."""
    from satc.files.atomic import output_file

    with ExitStack() as stack:
        for path, text in texts.items():
            stack.enter_context(output_file(path)).write_text(text, encoding="utf-8")
    for path in texts:
        say(f"wrote {path}")
