"""What the commands print: complaints, warnings, progress, tables, and files of results."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

T = TypeVar("T")


def complain(message: str) -> None:
    """Say in one line what went wrong."""
    typer.echo(f"satc: {' '.join(message.split())}", err=True)


def say_warning(message: Any, category: Any, *_: Any, **__: Any) -> None:
    """Say in one line what deserves a look."""
    complain(f"note: {message}")


def progress(items: Sequence[T], what: str) -> Iterator[T]:
    """Go through items with a progress bar on standard error, where that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    with Progress(console=console, transient=True) as bar:
        yield from bar.track(items, description=what)


def write_columns(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write a table of results; the ending of the file says the format."""
    from satc.files import write_table

    write_table(path, columns)
    complain(f"wrote {path}")


def write_picture(path: Path, chart: Any) -> None:
    """Write a chart in one step, complete or not at all."""
    from satc.evaluation.plot import rendered
    from satc.files.atomic import output_file

    with output_file(path) as temporary:
        temporary.write_bytes(rendered(chart, path.suffix.lower()))
    complain(f"wrote {path}")


def print_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print records as a table."""
    rows = list(rows)
    table = Table(box=None, header_style="bold")
    for name in rows[0]:
        table.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        table.add_row(*(_text(value) for value in row.values()))
    Console().print(table)


def print_json(value: Any) -> None:
    """Print what a program may read."""
    typer.echo(json.dumps(value, indent=2))


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def write_text(path: Path, text: str) -> None:
    """Write a text in one step, complete or not at all."""
    write_texts({path: text})


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write texts that belong together: all are complete before the first takes its place."""
    from satc.files.atomic import output_file

    with ExitStack() as stack:
        for path, text in texts.items():
            stack.enter_context(output_file(path)).write_text(text, encoding="utf-8")
    for path in texts:
        complain(f"wrote {path}")


def print_table(
    title: str, note: str, header: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    """Print a table with its title."""
    table = Table(*header, title=title, caption=note, box=None, title_style="bold")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how many steps of some work are done, on standard error, where that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        complain(what)
        yield lambda done, total: None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def steps() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show the step that some work is at, and how far it is."""
    console = Console(stderr=True)
    if not console.is_terminal:
        said: set[str] = set()

        def say(what: str, done: int, total: int | None) -> None:
            if what not in said:
                said.add(what)
                complain(what)

        yield say
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")

        def show(what: str, done: int, total: int | None) -> None:
            bar.update(task, description=f"{what}: {done:,}" if done else what)

        yield show
