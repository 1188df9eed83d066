"""What to do with a row that cannot be used: stop at once, or go on and report them all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from satc.errors import DataError

MOST_FAULTS = 1_000

OnFault = Callable[[DataError], None]


def stop(error: DataError) -> None:
    """Stop at the first row that cannot be used."""
    raise error


class BadRowsError(DataError):
    """Rows of a file cannot be used; `faults` has a sentence for each."""

    def __init__(self, path: Path, faults: tuple[str, ...]) -> None:
        self.faults = faults
        many = "rows" if len(faults) > 1 else "row"
        reached = "the first " if len(faults) >= MOST_FAULTS else ""
        super().__init__(
            f"{path}: {reached}{len(faults):,} {many} cannot be used; the first is: {faults[0]}"
        )


class Faults:
    """Collects the faults of a file, up to `MOST_FAULTS`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: list[str] = []

    def __call__(self, error: DataError) -> None:
        """Note one; too many end the reading."""
        self.found.append(str(error))
        if len(self.found) >= MOST_FAULTS:
            self.check()

    def check(self) -> None:
        """Raise if there were any."""
        if self.found:
            raise BadRowsError(self.path, tuple(self.found))
