"""`satc verify` says what is wrong with a project, and where."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commanding import command
from earlier_project import unpack
from projects_made import make, make_project
from sqlalchemy import text
from worked_projects import N_EVENTS, make_worked

from satc.workbench.model import events
from satc.workbench.model.clock import now
from satc.workbench.model.events import Event
from satc.workbench.project.verification.verification import verify
from satc.workbench.store import open_store
from satc.workbench.store.events import append, read_events


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_worked(tmp_path_factory.mktemp("made") / "made.satc")


@pytest.fixture
def path(made, tmp_path):
    return Path(shutil.copy(made, tmp_path))


def faults(location):
    with closing(open_store(location)) as store:
        return [str(fault) for fault in verify(store, None, lambda step: None).faults]


def execute(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def add(path, *new):
    """Append events, as a program with a fault of its own would: the chain is right."""
    with closing(open_store(path)) as store, store.writing() as connection:
        for event in new:
            append(connection, 1, event)


def test_a_project_that_is_whole_has_no_faults(path):
    done = command("verify", path)
    assert (done.returncode, done.stdout) == (
        0,
        "made: 40 documents and 22 events are as they were stored\n",
    )


def test_a_project_of_an_earlier_version_has_no_faults(tmp_path):
    assert faults(unpack(tmp_path)) == []


def test_a_project_that_was_fitted_has_no_faults(tmp_path):
    path = make_project(make(n=20), tmp_path / "made.satc", method="contextual")
    assert faults(path) == []
    damaged = "CAST(substr(data, 1, length(data) - 1) || x'01' AS BLOB)"
    execute(path, f"UPDATE arrays SET data = {damaged} WHERE name = 'fitted'")  # noqa: S608
    assert faults(path) == [
        "the stored probabilities of the calibrator do not match their digest; opening the project "
        "fits them anew"
    ]


def test_all_faults_are_listed_and_the_exit_code_is_1(path):
    execute(path, "UPDATE documents SET text = 'other' WHERE position IN (3, 8)")
    execute(path, "UPDATE events SET document = 5 WHERE number = 6")
    done = command("verify", path)
    assert done.returncode == 1
    for named in ("document 'd3'", "document 'd8'", "event 6 breaks the chain", "search index"):
        assert named in done.stderr
    assert "faults; 'satc restore' restores a backup" in done.stdout


def test_programs_get_json(path):
    execute(path, "UPDATE classes SET name = 'other' WHERE position = 1")
    done = command("verify", path, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["is_whole"]) == (1, False)
    assert [fault["part"] for fault in found["faults"]] == ["classes"]
    assert found["projects"] == [{"name": "made", "documents": 40, "events": N_EVENTS}]


def test_a_file_that_cannot_be_opened_is_a_fault(path):
    content = bytearray(path.read_bytes())
    content[100:200] = bytes(100)
    path.write_bytes(content)
    done = command("verify", path, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["is_whole"] is False


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        (Event(0, now(), "ann", "invent", 1), "must be of a known kind, but is 'invent'"),
        (Event(0, now(), "ann", events.DECIDE, 40, (1,)), "must be about one of 40 documents"),
        (Event(0, now(), "ann", events.DECIDE, 2, (6,)), "must have labels of 6 classes"),
        (Event(0, now(), "ann", events.DECIDE, 2), "must have labels of 6 classes"),
        (Event(0, now(), "ann", events.UNDO, 2, details={"of": 999}), "must undo an earlier"),
        (Event(0, now(), "ann", events.AUDIT, 0), "the audit must draw the document that the seed"),
    ],
)
def test_an_event_that_makes_no_sense_is_a_fault(path, event, problem):
    add(path, event)
    (found,) = faults(path)
    assert f"event {N_EVENTS + 1}" in found
    assert problem in found


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM arrays WHERE name = 'probability'", "array probability is missing"),
        ("UPDATE leases SET document = 40", "must be on a document of the project, but is on 40"),
        ("UPDATE events SET project = 2 WHERE number = 22", "must belong to a row of projects"),
        ("INSERT INTO document_search (rowid, terms) VALUES (4294967297, 'more')", "search index"),
        ("DELETE FROM chains", "but the end of its chain is not stored"),
    ],
)
def test_what_has_no_digest_is_checked_as_well(path, statement, problem):
    execute(path, statement)
    assert any(problem in fault for fault in faults(path))


def test_an_array_of_another_shape_is_a_fault(path):
    from satc.workbench.store.arrays import append as append_rows

    with closing(open_store(path)) as store, store.writing() as connection:
        append_rows(connection, 1, "probability", make(n=3).scores.astype("float32"))
    assert faults(path) == ["array probability must have the shape (40, 6), but has (43, 6)"]


def test_a_project_in_postgresql_is_verified_too(cluster):
    address = make_worked(cluster.new_database())
    assert faults(address) == []
    with closing(open_store(address)) as store, store.writing() as connection:
        connection.execute(text("UPDATE documents SET text = 'other' WHERE position = 3"))
        connection.execute(text("UPDATE events SET document = 5 WHERE number = 6"))
    found = faults(address)
    assert "document 'd3'" in found[0]
    assert "event 6 breaks the chain" in found[1]
    assert "the search index" in found[-1]


def test_numbers_of_events_are_those_of_the_project(cluster):
    address = cluster.new_database()
    for name in ("first", "second"):
        make_project(make(n=20), address, name=name)
    with closing(open_store(address)) as store:
        with store.writing() as connection:
            for project in (1, 2, 2, 1):
                append(connection, project, Event(0, now(), "ann", events.FLAG, 1))
        assert [event.number for event in read_events(store, 2)] == [1, 2]
    assert faults(address) == []
