import numpy as np
import pytest
from calling import BASE
from commanding import command
from earlier_project import N_EVENTS, unpack
from events_made import random_events
from sqlalchemy import Engine, event

from satc.assurance.certificate.audit import AuditedDecision
from satc.workbench.model import events
from satc.workbench.model.record import Record
from satc.workbench.project.history import History
from satc.workbench.store import open_store


@pytest.fixture
def counted(monkeypatch):
    """How often events were read from the database, and how many were applied."""
    counts = {"reads": 0, "applied": 0}
    apply = Record.apply

    def counted_apply(self, one):
        counts["applied"] += 1
        return apply(self, one)

    def count_reads(connection, cursor, statement, *_):
        counts["reads"] += "FROM events" in statement

    monkeypatch.setattr(Record, "apply", counted_apply)
    event.listen(Engine, "before_cursor_execute", count_reads)
    yield counts
    event.remove(Engine, "before_cursor_execute", count_reads)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["report"],
        ["report", "--no-estimate"],
        ["report", "-o", "report.html"],
        ["certify", "-o", "certificate.html"],
        ["export", "-o", "labels.csv"],
        ["plan", "--target", "0.9"],
    ],
)
def test_a_command_reads_and_replays_the_events_once(tmp_path, counted, arguments):
    project = unpack(tmp_path)
    open_store(project).close()  # upgrades the file, which reads the events to chain them
    counted.update(reads=0, applied=0)
    name, *options = arguments
    done = command(name, project, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert counted == {"reads": 1, "applied": N_EVENTS}


def test_the_check_of_a_certificate_reads_and_replays_the_events_once(tmp_path, counted):
    project = unpack(tmp_path)
    assert command("certify", project, "-o", tmp_path / "certificate.json").returncode == 0
    counted.update(reads=0, applied=0)
    done = command("certify", project, "--check", tmp_path / "certificate.json")
    assert done.returncode == 0, done.stderr
    assert counted == {"reads": 1, "applied": N_EVENTS}


def test_a_download_reads_and_replays_the_events_once(client, counted):
    given = client.post(f"{BASE}/next").json()["assignment"]
    client.post(f"{BASE}/leases/{given['lease']}/decision", json={"labels": [0]})
    counted.update(reads=0, applied=0)
    assert client.get(f"{BASE}/export").status_code == 200
    assert counted == {"reads": 1, "applied": 1}


def test_the_page_of_a_project_reads_no_events_once_it_is_open(client, counted):
    given = client.post(f"{BASE}/next").json()["assignment"]
    client.post(f"{BASE}/leases/{given['lease']}/decision", json={"labels": [0]})
    counted.update(reads=0, applied=0)
    assert client.get(f"{BASE}/status").status_code == 200
    assert counted == {"reads": 0, "applied": 0}


def slow_audit_log(history):
    """The audit log by its definition: the record is replayed for each event."""
    record = replayed(history)
    audited = []
    for document in record.drawn_for_audit:
        if record.current_decision(document) is None:
            break
        audited.append(document)
    placed = {}
    for k, one in enumerate(history):
        i, then = one.document, replayed(history[: k + 1])
        if one.kind == events.AUDIT and i in audited:
            placed[i] = True
        elif one.kind == events.DECIDE and record.current_decision(i) is not None:
            placed.setdefault(i, False)
        elif one.kind == events.UNDO and then.current_decision(i) is None and not placed.get(i, 1):
            del placed[i]
    return [AuditedDecision(i, record.current_decision(i).labels, placed[i]) for i in placed]


def replayed(history):
    record = Record()
    for one in history:
        record.apply(one)
    return record


@pytest.mark.parametrize("seed", range(20))
def test_one_replay_gives_the_audit_log_of_many(seed):
    history = random_events(np.random.default_rng(seed), 100)
    log = History.of(history).audit_log()
    assert log == slow_audit_log(history)
    assert len(log) > 3


def test_every_step_says_what_was_current_before_and_after():
    history = random_events(np.random.default_rng(0), 60)
    for k, step in enumerate(History.of(history).steps):
        assert step.event == history[k]
        document = step.event.document
        assert step.before == replayed(history[:k]).current_decision(document)
        assert step.after == replayed(history[: k + 1]).current_decision(document)
