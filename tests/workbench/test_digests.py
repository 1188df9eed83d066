"""What was changed after it was stored is found, and named, before anything is exported."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from commanding import command
from earlier_project import unpack
from worked_projects import make_worked

from satc.errors import SatcError
from satc.workbench.project.verification.checked import read_checked
from satc.workbench.reports.export import exported_documents
from satc.workbench.store import open_store
from satc.workbench.store.digests.faults import DamagedError
from satc.workbench.store.digests.persons import Person, commitment

N_FLIPS = 200


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_worked(tmp_path_factory.mktemp("made") / "made.satc")


@pytest.fixture
def path(made, tmp_path):
    return Path(shutil.copy(made, tmp_path))


def exported(path):
    """Return everything that an export writes."""
    with closing(open_store(path)) as store:
        project, history = read_checked(store)
        return list(map(repr, exported_documents(store, project, history, names=True)))


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount == 1
        connection.commit()


def outcome(path, expected):
    """Say what comes of a damaged file: it is refused, or its export is the same or wrong."""
    try:
        return "same" if exported(path) == expected else "wrong"
    except SatcError:
        return "refused"


@pytest.mark.slow
def test_a_flipped_bit_is_found_or_changes_nothing_that_is_exported(made, tmp_path):
    content, expected = made.read_bytes(), exported(made)
    rng = np.random.default_rng(20)
    outcomes = []
    for k in range(N_FLIPS):
        byte, bit = int(rng.integers(len(content))), int(rng.integers(8))
        path = tmp_path / f"{k}.satc"
        path.write_bytes(_flipped(content, byte, bit))
        outcomes.append(outcome(path, expected))
        for file in tmp_path.iterdir():
            file.unlink()
    assert "wrong" not in outcomes
    assert outcomes.count("refused") > N_FLIPS // 10


def _flipped(content, byte, bit):
    return content[:byte] + bytes([content[byte] ^ 1 << bit]) + content[byte + 1 :]


@pytest.mark.parametrize(
    ("piece", "named"),
    [
        (b"Text 7.", r"document 'd7' \(position 7\)"),
        (b"\x93NUMPY", r"array \w+, part 0"),
        (b"about it", r"event \d+ breaks the chain"),
        (b'"seconds": 1.5', r"event \d+ breaks the chain"),
        (b"class 3", "the list of classes"),
        (b'"audit_seed": 0', "the row of the project"),
    ],
)
def test_a_flipped_bit_of_the_content_is_named(path, tmp_path, piece, named):
    content = path.read_bytes()
    path.write_bytes(_flipped(content, content.index(piece) + len(piece) - 1, 0))
    with pytest.raises(DamagedError, match=named):
        exported(path)


@pytest.mark.parametrize("words", [["export", "-o", "labels.csv"], ["report"], ["certify"]])
def test_commands_refuse_a_damaged_project_in_one_line(path, tmp_path, words):
    change(path, "UPDATE documents SET text = 'another text' WHERE position = 7")
    name, *rest = words
    done = command(name, path, *rest, cwd=tmp_path)
    assert done.returncode == 1
    assert "document 'd7' (position 7) does not match its digest" in done.stderr
    assert "'satc verify'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "labels.csv").exists()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE events SET labels = '[5]' WHERE number = 4", "event 4 breaks the chain"),
        ("UPDATE events SET at = '2026' WHERE number = 4", "event 4 breaks the chain"),
        ("UPDATE events SET who = 'bob' WHERE number = 1", "event 1 breaks the chain"),
        ("UPDATE events SET number = 999 WHERE number = 4", "event 5 breaks the chain"),
        ("DELETE FROM events WHERE number = 4", "event 5 breaks the chain"),
        ("DELETE FROM events WHERE number = (SELECT max(number) FROM events)", "must end with"),
        (
            "INSERT INTO events SELECT project, 99, at, who, kind, document, labels, 'x', details, "
            "free_texts, digest FROM events WHERE number = 4",
            "event 99 breaks the chain",
        ),
        ("UPDATE events SET who = 'eve' WHERE number = 4", "'eve', whom the list of people"),
        ("UPDATE persons SET name = 'eve' WHERE name = 'bob'", "the name 'eve' does not match"),
        ("UPDATE documents SET rank = 999 WHERE position = 3", "the rank of document 'd3'"),
        ("DELETE FROM documents WHERE position = 3", "document 3 is missing"),
        ("DELETE FROM documents WHERE position = 39", "the documents are 39"),
        ("UPDATE arrays SET name = 'dec' WHERE name = 'decided'", "array dec, part 0"),
    ],
)
def test_a_changed_removed_or_inserted_row_is_named(path, statement, named):
    change(path, statement)
    with pytest.raises(DamagedError, match=named):
        exported(path)


def test_a_damaged_fit_is_no_reason_to_refuse_an_export(path):
    expected = exported(path)
    change(path, "INSERT INTO arrays VALUES (1, 'fitted', 0, x'00', NULL)")
    assert exported(path) == expected


def test_a_project_of_an_earlier_version_gets_digests_when_it_is_opened(tmp_path):
    path = unpack(tmp_path)
    exported(path)
    change(path, "UPDATE events SET document = 3 WHERE number = 9")
    with pytest.raises(DamagedError, match="event 9 breaks the chain"):
        exported(path)


def test_a_name_is_proven_by_its_salt_and_a_pseudonym_by_its_commitment():
    known = commitment("salt", "ann")
    assert Person("ann", "salt", known).is_proven
    assert not Person("eve", "salt", known).is_proven
    assert Person(f"person-{known[:4]}", None, known).is_proven
    assert not Person("person-", None, known).is_proven
    assert not Person("ann", None, known).is_proven


def test_the_server_refuses_to_export_what_is_damaged(app, client):
    store = app.state.open_projects.store
    assert client.get("/api/v1/projects/claims/export").status_code == 200
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE documents SET text = 'other' WHERE position = 3")
    for address in ("/api/v1/projects/claims/export", "/p/claims/report", "/p/claims/certificate"):
        answer = client.get(address)
        assert answer.status_code == 503, address
        assert "document" in answer.text
