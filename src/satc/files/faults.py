"""What happens at a row that cannot be used: reading stops, or all such rows are reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from satc.errors import DataError

MAX_FAULTS = 1_000

OnFault = Callable[[DataError], None]


def raise_fault(error: DataError) -> None:
    """Stop at the first row that cannot be used."""
    raise error


class BadRowsError(DataError):
    """Rows of a file cannot be used.

    `faults` has a sentence for each of them, and `remedy` says what to do, if there is more to do
    than to correct them.
    """

    def __init__(self, path: Path, faults: tuple[str, ...], remedy: str = "") -> None:
        self.faults = faults
        self.remedy = remedy
        rows = "rows" if len(faults) > 1 else "row"
        reached = "the first " if len(faults) >= MAX_FAULTS else ""
        super().__init__(
            f"{path}: {reached}{len(faults):,} {rows} cannot be used; the first is: {faults[0]}"
            f"{remedy and f'; {remedy}'}"
        )


class Faults:
    """Collects the faults of a file, up to `MAX_FAULTS`; pass it as `on_fault`."""

    def __init__(self, path: Path, remedy: str = "") -> None:
        self.path = path
        self.remedy = remedy
        self.found: list[str] = []

    def __call__(self, error: DataError) -> None:
        """Add a fault; at `MAX_FAULTS`, raise them."""
        self.found.append(str(error))
        if len(self.found) >= MAX_FAULTS:
            self.check()

    def check(self) -> None:
        """Raise a `BadRowsError` if there are faults."""
        if self.found:
            raise BadRowsError(self.path, tuple(self.found), self.remedy)
