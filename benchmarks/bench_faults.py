"""Random faults while 20 people work: is anything lost, or counted twice?

On SQLite and PostgreSQL, 20 clients do everything that the API offers, until 5,000 decisions are
acknowledged. Meanwhile the server is killed 30 times; PostgreSQL is killed, too; the disk fills,
the clock jumps by up to three days, and some answers are lost. A seed, which is printed or given as
an argument, makes the schedule, which is printed as well. At the end the log, the state of the
server and the backups are checked. It needs root, because it mounts a small disk.

    python benchmarks/bench_faults.py [SEED] [sqlite|postgresql]
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from time import perf_counter

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "workbench")]

from faults.machines import Machine, PostgresqlMachine, SqliteMachine, small_disk
from faults.run import run
from faults.schedule import (
    BACK_UP,
    FILL_DISK,
    KILL_DATABASE,
    KILL_SERVER,
    MOVE_CLOCK,
    make_schedule,
)
from projects_made import Made, make

SIZE = (12_000, 10)
DECISIONS, PEOPLE = 5_000, 20
SETTINGS = {"audit": 0.1, "overlap": 0.1, "lease_seconds": 120.0}
COUNTS = {KILL_SERVER: 30, FILL_DISK: 4, MOVE_CLOCK: 6, BACK_UP: 3}


def survive(machine: Machine, counts: dict[str, int], seed: int) -> None:
    """Run all faults and print what happened; an AssertionError says what was wrong."""
    begin = perf_counter()
    faults = make_schedule(seed, DECISIONS, counts)
    outcome = run(machine, faults, DECISIONS, PEOPLE, SIZE, seed, say=print)
    name = type(machine).__name__
    print(f"{name}: {outcome.decisions:,} decisions acknowledged, none lost, none twice")
    print(f"  {outcome.events:,} events; {outcome.faults}; {outcome.lost_answers} answers lost")
    print(f"  {perf_counter() - begin:.0f} s")


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(10_000)
    wanted = sys.argv[2:] or ["sqlite", "postgresql"]
    print(f"seed {seed}")
    made = make(*SIZE, n_train=300)
    for name, check in (("sqlite", in_a_file), ("postgresql", in_postgresql)):
        if name in wanted:
            with tempfile.TemporaryDirectory() as folder, small_disk(1 << 30) as disk:
                check(made, Path(folder), disk, seed)


def in_a_file(made: Made, folder: Path, disk: Path, seed: int) -> None:
    survive(SqliteMachine(made, folder, disk, **SETTINGS), COUNTS, seed)


def in_postgresql(made: Made, folder: Path, disk: Path, seed: int) -> None:
    machine = PostgresqlMachine(made, folder, disk, **SETTINGS)
    try:
        survive(machine, COUNTS | {KILL_DATABASE: 30}, seed)
    finally:
        machine.cluster.halt()


if __name__ == "__main__":
    main()
