"""One run: people work, faults come by the schedule, and then everything is checked."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import NamedTuple

from projects_made import add_people

from faults import checks, schedule
from faults.machines import Machine
from faults.people import Person, Total, begin
from faults.schedule import Fault
from faults.wire import Wire
from satc.workbench.model.events import Event as LogEvent
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.events import read_events
from satc.workbench.store.people.users import change_user
from satc.workbench.store.projects import get_project

PATIENCE = 120.0  # seconds without an acknowledged decision


class Outcome(NamedTuple):
    """What happened in a run."""

    decisions: int
    events: int
    faults: dict[str, int]
    lost_answers: int


class Backup(NamedTuple):
    """A backup, and the last number that was acknowledged before it was begun."""

    file: Path
    last_before: int


def run(
    machine: Machine,
    faults: Sequence[Fault],
    decisions: int,
    n_people: int,
    size: tuple[int, int],
    seed: int,
    say: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Let people make so many decisions while faults come; check what is left."""
    *tokens, watcher = add_people(machine.location, n_people + 1)
    with closing(open_store(machine.location)) as store:
        for manager in ("person0", f"person{n_people}"):
            change_user(store, manager, role="manager")
    machine.start()
    ended, total = Event(), Total()
    wires = [
        Wire(machine.site.port, machine.site.name, token, seed + i, ended)
        for i, token in enumerate(tokens)
    ]
    people = [
        Person(f"person{i}", wire, *size, seed=seed + 1000 + i, total=total)
        for i, wire in enumerate(wires)
    ]
    threads = begin(people, ended)
    try:
        backups = _follow(machine, faults, total, say)
        _wait(total, decisions)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    _check(machine, people, backups, watcher)
    counts = {fault.kind: sum(one.kind == fault.kind for one in faults) for fault in faults}
    n_lost = sum(wire.lost for wire in wires)
    return Outcome(total.decisions, len(_log_of(machine.location)), counts, n_lost)


def _follow(
    machine: Machine, faults: Sequence[Fault], total: Total, say: Callable[[str], None]
) -> list[Backup]:
    """Wait for the moment of each fault, and cause it."""
    backups: list[Backup] = []
    for fault in faults:
        _wait(total, fault.at)
        say(f"{total.decisions} decisions; {fault}")
        if fault.kind == schedule.KILL_SERVER:
            machine.kill_server()
        elif fault.kind == schedule.KILL_DATABASE:
            machine.kill_database()
        elif fault.kind == schedule.FILL_DISK:
            machine.fill_disk(fault.strength)
        elif fault.kind == schedule.MOVE_CLOCK:
            machine.clock.move(fault.strength)
        else:
            backup = Backup(machine.folder / f"backup{len(backups)}.satc", total.last_number)
            machine.back_up(backup.file)
            backups.append(backup)
    return backups


def _wait(total: Total, decisions: int) -> None:
    """Wait until so many decisions are acknowledged; people must not stand still."""
    seen, since = total.decisions, time.monotonic()
    while total.decisions < decisions:
        time.sleep(0.02)
        if total.decisions != seen:
            seen, since = total.decisions, time.monotonic()
        assert time.monotonic() - since < PATIENCE, f"nothing was acknowledged for {PATIENCE} s"


def _check(
    machine: Machine, people: Sequence[Person], backups: Sequence[Backup], watcher: str
) -> None:
    served = _served_state(machine, watcher)
    machine.site.stop()
    log = _log_of(machine.location)
    checks.check_log(log, people)
    with closing(open_store(machine.location)) as store:
        desk = open_desk(store)
        assert served == {
            one.document: list(one.labels) for one in desk.record.current_decisions()
        }, "the state of the server is not the replay of its log"
    for backup in backups:
        checks.check_backup(_log_of(str(backup.file)), log, backup.last_before)
        _verify([str(backup.file)])
    _verify(machine.arguments())


def _served_state(machine: Machine, token: str) -> dict[int, list[int]]:
    """Return the labels of all decided documents, as the server has them in memory."""
    client = machine.site.client(token)
    found: dict[int, list[int]] = {}
    page = n_pages = 1
    while page <= n_pages:
        answer = client.get("/documents", params={"state": "decided", "page": page}).json()
        found |= {row["index"]: row["labels"] for row in answer["documents"]}
        page, n_pages = page + 1, answer["n_pages"]
    return found


def _log_of(location: str) -> list[LogEvent]:
    with closing(open_store(location)) as store:
        return list(read_events(store, get_project(store).key))


def _verify(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "satc", "verify", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
