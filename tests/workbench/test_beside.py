"""Long work runs beside the server: people go on, and nothing waits on the event loop."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from threading import Thread

import httpx
import pytest
from calling import BASE
from projects_made import make, make_project, write_files
from serving import Site

from satc.errors import DataError
from satc.files.faults import BadRowsError
from satc.workbench.review import aside
from satc.workbench.store import Store, open_store
from satc.workbench.store.creating.unfinished import unfinished_projects
from satc.workbench.web.api.routes.upload import preview

METHOD = "u-theoretic-dynamic"
LONG = 600.0  # seconds, for a machine that does other things as well


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "claims.satc"
    make_project(make(n=3_000), path)
    started = Site(path)
    yield started
    started.stop()


def send(site, made, folder, name="second"):
    """Send the files of a project."""
    files = {part: path.open("rb") for part, path in write_files(made, folder).items()}
    fields = {"name": name, "method": METHOD}
    with site.client() as client:
        answer = client.post(f"{site.url}/api/v1/projects", data=fields, files=files)
    for file in files.values():
        file.close()
    assert answer.status_code == 202, answer.text


def line_of(site, name="second"):
    with httpx.Client(headers={"Authorization": f"Bearer {site.key}"}) as client:
        found = client.get(f"{site.url}/api/v1/projects").json()["projects"]
    return next(line for line in found if line["name"] == name)


class Person(Thread):
    """Somebody who opens the login page and decides on documents, one after the other."""

    def __init__(self, site):
        super().__init__()
        self.site = site
        self.answers = []  # when each answer came
        self.ended = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.join()

    def run(self):
        with self.site.client() as client:
            while not self.ended:
                assert client.get(f"{self.site.url}/login").status_code < 400
                given = client.post("/next").json()["assignment"]
                if given is not None:
                    sent = {"labels": [0], "seconds": 1.0}
                    answer = client.post(f"/leases/{given['lease']}/decision", json=sent)
                    assert answer.status_code == 200, answer.text
                self.answers.append(time.monotonic())


@pytest.mark.slow
def test_people_go_on_while_a_project_is_created(site, tmp_path):
    with Person(site) as person:
        site.wait_until(lambda: len(person.answers) > 5, LONG)  # everything is compiled
        begin = time.monotonic()
        send(site, make(n=6_000, m=4, n_train=400, seed=3), tmp_path / "in")
        site.wait_until(lambda: line_of(site)["state"] != "creating", LONG)
        end = time.monotonic()
    assert line_of(site)["n_documents"] == 6_000
    times = [begin, *(at for at in person.answers if begin < at < end), end]
    longest = max(after - before for before, after in pairwise(times))
    assert len(times) > 20
    assert longest < (end - begin) / 2


@pytest.mark.slow
def test_a_creation_that_is_killed_fails_and_leaves_nothing(site, tmp_path):
    texts = [f"word {i} " * 400 for i in range(6_000)]
    with closing(open_store(site.arguments[0])) as store:
        before = n_documents(store)
        send(site, make(n=6_000, m=4, n_train=400, texts=texts), tmp_path / "in", "killed")
        site.wait_until(lambda: n_documents(store) > before, LONG)
        (creating,) = grandchildren_of(site.process.pid)
        os.kill(creating, signal.SIGKILL)
        line = site.wait_until(lambda: state_other_than(site, "creating", "killed"), LONG)
        assert line["state"] == "failed"
        assert line["error"] == "the process that created the project ended with -9"
        assert unfinished_projects(store) == []
        assert n_documents(store) == before
    send(site, make(n=20, m=4, seed=3), tmp_path / "again", "killed")
    line = site.wait_until(lambda: state_other_than(site, "creating", "killed"), LONG)
    assert line["state"] == "ready"


def n_documents(store):
    with store.reading() as connection:
        return connection.exec_driver_sql("SELECT count(*) FROM documents").scalar()


def state_other_than(site, state, name):
    line = line_of(site, name)
    return None if line["state"] == state else line


def grandchildren_of(pid):
    return [other for child in children_of(pid) for other in children_of(child)]


def children_of(pid):
    """Return the processes that the threads of a process have started."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in threads for child in path.read_text(encoding="utf-8").split()]


def wait_for_ever(begun):
    Path(begun).touch()
    time.sleep(600)


def test_a_process_that_was_forked_ends_when_the_server_is_killed(tmp_path):
    program = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}
from satc.workbench.review import aside
from test_beside import wait_for_ever
if __name__ == "__main__":
    aside._preloaded.clear()
    aside.call_in_process(wait_for_ever, {str(tmp_path / "begun")!r})
"""
    (tmp_path / "server.py").write_text(program, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(tmp_path / "server.py")]) as server:
        wait_until((tmp_path / "begun").exists)
        started = [*children_of(server.pid), *grandchildren_of(server.pid)]
        server.kill()
    assert len(started) > 1
    wait_until(lambda: not any(is_alive(pid) for pid in started))


def wait_until(ready):
    end = time.monotonic() + LONG
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


RESULTS = ["/p/claims/report", "/p/claims/certificate", "/p/claims/shares.csv"]
EXPORT = f"{BASE}/export?format=csv"


@pytest.mark.parametrize("path", [*RESULTS, EXPORT])
def test_a_result_from_a_process_is_the_same(client, path, monkeypatch):
    here = client.get(path)
    monkeypatch.setattr(aside, "_SHORT", 0)
    calls = []
    real = aside.call_in_process
    monkeypatch.setattr(
        aside, "call_in_process", lambda *asked, **how: calls.append(asked) or real(*asked, **how)
    )
    beside = client.get(path)
    assert calls
    assert (beside.status_code, beside.content) == (here.status_code, here.content)


def test_a_preview_from_a_process_is_the_same(client, monkeypatch):
    content = b"id,text,labels\n1,one,a|b\n2,two,b\n"
    files = {"file": ("train.csv", content)}
    here = client.post("/api/v1/preview", data={"part": "train"}, files=files).json()
    monkeypatch.setattr(preview, "_SHORT", 0)
    beside = client.post("/api/v1/preview", data={"part": "train"}, files=files).json()
    assert here.pop("token") != beside.pop("token")
    assert here == beside
    assert here["understood"]["n_documents"] == 2


def refuse_rows():
    raise BadRowsError(Path("a.csv"), ("line 3: no id",))


def test_an_error_that_cannot_be_sent_keeps_its_message():
    with pytest.raises(DataError, match=r"a\.csv: 1 row cannot be used; .*: no id"):
        aside.call_in_process(refuse_rows)


@pytest.fixture
def no_waiting(monkeypatch):
    """Let every use of the database fail on a thread that runs an event loop."""
    for name in ("reading", "writing"):
        real = getattr(Store, name)

        def checked(self, *given, real=real, name=name, **options):
            if asyncio._get_running_loop() is not None:
                raise AssertionError(f"the event loop waits for the database ({name})")
            return real(self, *given, **options)

        monkeypatch.setattr(Store, name, checked)


@pytest.mark.parametrize(
    "path", ["/login", "/", "/api/v1/projects", BASE, f"{BASE}/status", *RESULTS, EXPORT]
)
def test_no_answer_waits_on_the_event_loop(client, no_waiting, path):
    client.get(BASE)  # opens the project
    assert client.get(path).status_code in (200, 409)


def test_no_upload_waits_on_the_event_loop(client, no_waiting):
    files = {"file": ("a.csv", b"id,text,labels\n1,one,a\n2,two,b\n")}
    token = client.post("/api/v1/preview", files=files).json()["token"]
    kept = json.dumps({"documents": token, "train": token})
    fields = {"name": "second", "kept": kept}
    assert client.post("/api/v1/projects", data=fields).status_code == 202
    while client.delete("/api/v1/projects/second/creation").status_code != 200:
        time.sleep(0.05)  # two documents are too few for a project
    names = [one["name"] for one in client.get("/api/v1/projects").json()["projects"]]
    assert names == ["claims"]
