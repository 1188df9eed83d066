"""A project file that satc 0.1.0 made opens and goes on.

`earlier/survey-0.1.0.satc.gz` holds invented texts, every kind of event and two open leases; the
files beside it are what the commands of that version printed for it. The next documents are those
and the estimates in `report.json` and `plan.json` are those of the first version in which the votes
of near neighbours count more.
"""

import json
import sqlite3
from dataclasses import fields

import pytest
from commanding import command
from earlier_project import EARLIER, unpack

from satc.workbench.model.settings import Settings
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.events import read_events

LATER = {
    "decide": "sign",
    "task": "multi-label",
    "closed": False,
    "prior_shift": False,
    "audit_seed": None,
}  # settings that satc 0.1.0 did not have
AUDIT = {"n_drawn": 4, "n_decided": 3, "n_counted": 3, "n_undecided": 1, "n_blocked": 0}
NEXT_DOCUMENTS = [53, 14, 55, 19, 32, 32, 37, 31, 22, 33, 8, 13]  # given to ann and bob in turn


@pytest.fixture
def project(tmp_path):
    return unpack(tmp_path)


def satc(*arguments):
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def expected(name):
    """Return the JSON that the earlier version printed; settings that came later have defaults."""
    printed = json.loads((EARLIER / name).read_text(encoding="utf-8"))
    if "settings" in printed:
        known = printed["settings"] | LATER
        printed["settings"] = {field.name: known[field.name] for field in fields(Settings)}
    return printed


def same(found, known):
    """Compare JSON values: figures to 1e-9, everything else exactly."""
    if isinstance(known, dict):
        return list(found) == list(known) and all(same(found[name], known[name]) for name in known)
    if isinstance(known, list):
        return len(found) == len(known) and all(map(same, found, known))
    if isinstance(known, float):
        return found == pytest.approx(known, rel=1e-9, abs=1e-9)
    return type(found) is type(known) and found == known


def keep_leases_open(path):
    """Let the leases end in a distant future, as if the file had just been made."""
    connection = sqlite3.connect(path)
    connection.execute("UPDATE leases SET expires_at = '2999-01-01T00:00:00.000000+00:00'")
    connection.commit()
    connection.close()


def test_the_export_is_the_same_to_the_byte(project, tmp_path):
    satc("export", project, "-o", tmp_path / "labels.csv")
    assert (tmp_path / "labels.csv").read_bytes() == (EARLIER / "labels.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "file"),
    [
        ("report", [], "report.json"),
        ("certify", [], "certify.json"),
        ("plan", ["--target", "0.9"], "plan.json"),
    ],
)
def test_a_command_prints_the_same_figures(project, name, options, file):
    found = json.loads(satc(name, project, *options, "--json"))
    if name == "report":  # the shares and the counts of the audit came later
        assert found.pop("shares") == json.loads(satc("shares", project, "--json"))
        assert found.pop("audit") == AUDIT
    assert same(found, expected(file)), found


def test_the_work_goes_on_with_the_same_documents(project):
    keep_leases_open(project)
    store = open_store(project)
    store.lock()
    desk = open_desk(store)
    given = []
    for k in range(len(NEXT_DOCUMENTS)):
        who = ("ann", "bob")[k % 2]
        lease, _ = desk.next(who)
        given.append(lease.document)
        desk.submit(lease.lease, who, [k % 7], seconds=1.0)
    store.close()
    assert given == NEXT_DOCUMENTS


def test_open_leases_can_be_decided(project):
    keep_leases_open(project)
    store = open_store(project)
    desk = open_desk(store)
    open_leases = {held.document: held for who in ("ann", "bob") for held in desk.leases.of(who)}
    assert sorted(open_leases) == [40, 47]
    held = open_leases[47]
    number = desk.submit(held.lease, "ann", [1, 2], seconds=2.5)
    event = list(read_events(store, desk.project.key))[-1]
    store.close()
    assert (number, event.number, event.document, event.labels) == (33, 33, 47, (1, 2))
    assert event.details["shown"]["predicted"] == [[2, 0.6549, 0.00657]]
