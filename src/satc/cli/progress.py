"""Progress of long work, on standard error: a bar on a terminal, one line per step elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from satc.cli.show import say

if TYPE_CHECKING:
    from satc.texts.source import Progress

T = TypeVar("T")


def track(items: Sequence[T], description: str) -> Iterator[T]:
    """Give the items one by one, with a progress bar on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    with Bar(console=console, transient=True) as bar:
        yield from bar.track(items, description=description)


@contextmanager
def counted(description: str) -> Iterator[Callable[[int, int], None]]:
    """Show a description of some work, and on a terminal how many parts of it are done."""
    console = Console(stderr=True)
    if not console.is_terminal:
        say(description)
        yield lambda done, total: None
        return
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(description)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def steps() -> Iterator[Progress]:
    """Show the present step of some work, and on a terminal how many items of it are done."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _each_step_once()
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")

        def show(step: str, done: int = 0) -> None:
            bar.update(task, description=f"{step}: {done:,}" if done else step)

        yield show


def _each_step_once() -> Progress:
    said: set[str] = set()

    def say_step(step: str, done: int = 0) -> None:
        if step not in said:
            said.add(step)
            say(step)

    return say_step
