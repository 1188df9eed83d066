"""Nobody reads the password of a database, and nobody its address over HTTP."""

from __future__ import annotations

import subprocess
import sys

import pytest
from calling import BASE, PASSWORD, log_in
from fastapi.testclient import TestClient
from projects_made import make_project

from satc.workbench.messages import Message
from satc.workbench.review.opening import Opening
from satc.workbench.store import StoreError, open_store
from satc.workbench.store.connection import StoreConflictError
from satc.workbench.store.disclosure.outage import tell_outage
from satc.workbench.web.access.accounts import add_user
from satc.workbench.web.app import make_app

SECRET = "hunter2"  # noqa: S105
WRONG = [
    f"postgresql://satc:{SECRET}@127.0.0.1:nine/none",
    f"postgresql://satc:x@{SECRET}@127.0.0.1:9/none",
    f"postgresql://satc:x/{SECRET}@127.0.0.1:9/none",
    f"postgresql://satc:x/{SECRET}:y@127.0.0.1:9/none",
    f"postgresql://satc:x?{SECRET}@127.0.0.1:9/none",
    f"postgresql://satc:x#{SECRET}@127.0.0.1:9/none",
    f"postgresql+psycopg://satc:{SECRET}@127.0.0.1:9/none",
    f"postgresql:/satc:{SECRET}@127.0.0.1:9/none",
    f"postgresql//satc:{SECRET}@127.0.0.1:9/none",
    f"postgresq://satc:{SECRET}@127.0.0.1:9/none",
    f"mysql://satc:{SECRET}@127.0.0.1:9/none",
    f"postgresql://satc@127.0.0.1:9/none?password={SECRET}",
    f"postgresql://satc@127.0.0.1:9/none?pasword={SECRET}",
    f"postgresql://satc:{SECRET}@127.0.0.1:9/none?sslmode=nonsense",
    f"postgres://satc:{SECRET}@[::1:9/none",
    f"POSTGRESQL://satc:{SECRET}@127.0.0.1:9/none",
    f"postgresql://satc:%zz{SECRET}@127.0.0.1:9/none",
]


@pytest.mark.parametrize("address", WRONG)
def test_no_wrong_address_shows_its_password(address):
    with pytest.raises(StoreError, match=r"address of the database|postgresql://") as raised:
        open_store(address)
    assert SECRET not in "".join(map(str, causes(raised.value)))
    assert "\n" not in str(raised.value)


def causes(error):
    """Iterate over the errors that a traceback shows."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_the_command_line_never_prints_a_password():
    code = (
        "import sys\n"
        "from satc.cli import main\n"
        "for address in sys.stdin.read().splitlines():\n"
        "    sys.argv = ['satc', 'report', 'x', '--database', address]\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as end:\n"
        "        print('ended with', end.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="\n".join(WRONG), capture_output=True, text=True
    )
    printed = done.stdout + done.stderr
    assert printed.count("ended with 1") == len(WRONG), printed
    assert SECRET not in printed


def test_a_stranger_does_not_read_where_the_database_is(made, cluster, caplog):
    location = cluster.new_database()
    make_project(made, location)
    store = open_store(location)
    add_user(store, "max", "manager", PASSWORD)
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://workbench.example", follow_redirects=False) as client:
        cookie = log_in(client, "max").cookies
        client.cookies.clear()
        cluster.halt()
        answers = [log_in(client, "max"), client.get("/join?key=x")]
        client.cookies.update(cookie)
        answers += [client.get("/projects"), client.get("/api/v1/projects/made/status")]
        cluster.start()
    store.close()
    database = location.rpartition("/")[2]
    for answer in answers:
        assert answer.status_code == 503
        for detail in (database, "127.0.0.1", str(cluster.port), "postgresql", "psycopg"):
            assert detail not in answer.text
    assert database in caplog.text  # the administrator reads it


def test_the_same_outage_is_not_logged_all_the_time(client, app, monkeypatch, caplog):
    def gone(*_, **__):
        raise StoreError("claims.satc: gone")

    monkeypatch.setattr(app.state.open_projects.store, "reading", gone)
    for _ in range(5):
        assert client.get(f"{BASE}/documents/1").status_code == 503
    assert caplog.text.count("claims.satc: gone") == 1


@pytest.mark.parametrize(
    ("error", "key"),
    [
        (StoreError("db.example: connection refused"), "server.store_unavailable"),
        (StoreError("a.satc: database or disk is full"), "server.store_full"),
        (
            StoreError('could not extend file "base/1": No space left on device'),
            "server.store_full",
        ),
        (StoreConflictError("a.satc: UNIQUE constraint failed"), "server.store_conflict"),
        (StoreError(Message("server.starting")), "server.starting"),
    ],
)
def test_people_are_told_what_they_can_use(error, key):
    assert tell_outage(error).key == key


def test_a_project_that_cannot_be_opened_does_not_say_where_it_is():
    opening = Opening()
    opening.error = StoreError("postgresql://satc@db.example/made: connection refused")
    assert "db.example" not in str(opening.say())
    opening.error = ValueError("first line\nsecond line")
    assert str(opening.say()).endswith("first line")


def test_no_sentence_of_an_error_names_the_file(client, app):
    @app.get("/names")
    def names():
        raise ValueError(f"{app.state.open_projects.store.location}: project 'x' has no scores")

    answer = client.get("/names")
    assert answer.json()["detail"] == "the database: project 'x' has no scores"
