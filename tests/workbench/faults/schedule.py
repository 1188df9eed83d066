"""Which fault comes when: a function of the seed."""

from __future__ import annotations

import random
from typing import NamedTuple

KILL_SERVER, KILL_DATABASE = "kill the server", "kill the database"
FILL_DISK, MOVE_CLOCK, BACK_UP = "fill the disk", "move the clock", "back up"


class Fault(NamedTuple):
    """A fault, the number of acknowledged decisions at which it comes, and how strong it is."""

    at: int
    kind: str
    strength: float = 0.0

    def __str__(self) -> str:
        return f"at {self.at}: {self.kind}" + (f" ({self.strength:+.1f})" if self.strength else "")


def make_schedule(seed: int, decisions: int, counts: dict[str, int]) -> list[Fault]:
    """Return the faults of a run; `counts` says how many there are of each kind."""
    chance = random.Random(seed)  # noqa: S311
    kinds = [kind for kind, n in counts.items() for _ in range(n)]
    chance.shuffle(kinds)
    room = decisions / (len(kinds) + 1)
    return [
        Fault(int(room * (i + chance.uniform(0.6, 1.4))), kind, _strength(kind, chance))
        for i, kind in enumerate(kinds)
    ]


def _strength(kind: str, chance: random.Random) -> float:
    """Return by how many hours the clock moves, or for how many seconds the disk is full."""
    if kind == MOVE_CLOCK:
        return chance.choice([-1.0, 1.0]) * chance.uniform(0.1, 72.0)
    return chance.uniform(0.2, 0.6) if kind == FILL_DISK else 0.0
