"""A short run of random faults on each database; `benchmarks/bench_faults.py` has the long one."""

from __future__ import annotations

import os

import pytest
from faults.machines import PostgresqlMachine, SqliteMachine, small_disk
from faults.run import run
from faults.schedule import (
    BACK_UP,
    FILL_DISK,
    KILL_DATABASE,
    KILL_SERVER,
    MOVE_CLOCK,
    make_schedule,
)
from projects_made import make

pytestmark = pytest.mark.slow

SIZE = (900, 6)
DECISIONS = 300
COUNTS = {KILL_SERVER: 2, FILL_DISK: 1, MOVE_CLOCK: 2, BACK_UP: 1}


@pytest.fixture
def disk():
    if os.geteuid() != 0:
        pytest.skip("a small disk can be mounted by root only")
    with small_disk() as disk:
        yield disk


def check(machine, counts, seed):
    faults = make_schedule(seed, DECISIONS, counts)
    outcome = run(machine, faults, DECISIONS, n_people=8, size=SIZE, seed=seed)
    assert outcome.decisions >= DECISIONS
    assert outcome.faults == counts


def settings():
    return {"audit": 0.1, "overlap": 0.1, "lease_seconds": 120.0}


def test_faults_lose_nothing_and_count_nothing_twice_in_a_file(tmp_path, disk):
    made = make(*SIZE, n_train=200)
    check(SqliteMachine(made, tmp_path, disk, **settings()), COUNTS, seed=1)


def test_faults_lose_nothing_and_count_nothing_twice_in_postgresql(tmp_path, disk, cluster):
    made = make(*SIZE, n_train=200)
    machine = PostgresqlMachine(made, tmp_path, disk, **settings())
    try:
        check(machine, COUNTS | {KILL_DATABASE: 1}, seed=2)
    finally:
        machine.cluster.halt()


def test_a_schedule_follows_from_its_seed():
    assert make_schedule(3, 1000, COUNTS) == make_schedule(3, 1000, COUNTS)
    assert make_schedule(3, 1000, COUNTS) != make_schedule(4, 1000, COUNTS)
