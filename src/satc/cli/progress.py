"""Progress of long work, on standard error: a bar on a terminal, one line per step elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar

from satc.cli.show import say

if TYPE_CHECKING:
    from satc.texts.source import Progress

T = TypeVar("T")

SECONDS_BETWEEN_LINES = 30.0  # of the progress of long work, where there is no terminal


def track(items: Sequence[T], description: str) -> Iterator[T]:
    """Give the items one by one, with a progress bar on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    with Bar(console=console, transient=True) as bar:
        yield from bar.track(items, description=description)


@contextmanager
def counted(description: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a description of some work, and on a terminal how many parts of it are done.

    The number of all parts is None if nobody knows it.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        say(description)
        yield lambda done, total: None
        return
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def paced(description: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Show how many items are done, how many per second, and how long the rest will take.

    Without a terminal, there is a line after every half minute.
    """
    console, start = Console(stderr=True), monotonic()
    if not console.is_terminal:
        yield _line_now_and_then(description, unit)
        return
    pace = TextColumn("{task.fields[pace]}")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), pace)
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(description, total=None, pace="")

        def show(done: int, total: int) -> None:
            speed = done / max(monotonic() - start, 1e-9)
            bar.update(task, completed=done, total=total, pace=f"{speed:,.0f} {unit}s/s")

        yield show


def _line_now_and_then(description: str, unit: str) -> Callable[[int, int], None]:
    start = last = monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        now = monotonic()
        if now - last < SECONDS_BETWEEN_LINES or done == total:
            return
        last, speed = now, done / (now - start)
        say(
            f"{description}: {done:,} of {total:,}, {speed:,.1f} {unit}s per second, "
            f"{(total - done) / speed:,.0f} s left"
        )

    return show


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
