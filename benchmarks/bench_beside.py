"""How long people wait while a manager creates, exports and reports another project.

People ask for documents and decide on them without a pause, in one project. Meanwhile a manager
creates another project of 20,000 documents x 97 classes in the same server, and then exports and
reports it. Prints the slowest answer to a person (`next` and `submit` together), beside that of an
otherwise idle server, for each step; on SQLite and, if Debian's PostgreSQL is installed, on
PostgreSQL.

    python benchmarks/bench_beside.py [--documents 20000] [--own 50000] [--people 5]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import httpx
import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "workbench")]

from crowd import Wire, Worker, work
from postgresql import Cluster
from projects_made import WORDS, Made, add_people, make, make_project, write_files
from serving import Site

from satc.workbench.store import open_store
from satc.workbench.store.people.users import add_user
from satc.workbench.web.access.accounts import new_token

CLASSES = 97
N_WORDS = 100  # in a text
WANTED = 500.0  # milliseconds: the slowest answer to a person


def manager_of(location: Path | str) -> str:
    with closing(open_store(location)) as store:
        add_user(store, "manager", "manager", "no password fits this")
        return new_token(store, "manager")


def texts(n: int) -> list[str]:
    rng = np.random.default_rng(1)
    words = [*WORDS, *(f"word{i}" for i in range(20_000))]
    chosen = np.minimum(rng.zipf(1.3, (n, N_WORDS)), len(words)) - 1
    return [" ".join(words[i] for i in row) for row in chosen]


class Manager:
    """Creates the other project, and asks for its results."""

    def __init__(self, site: Site, token: str, folder: Path, method: str) -> None:
        self.site, self.folder, self.method = site, folder, method
        headers = {"Authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=site.url, headers=headers, timeout=3600)

    def idle(self) -> None:
        time.sleep(10.0)

    def create(self) -> None:
        files = {part: path.open("rb") for part, path in self.files.items()}
        data = {"name": "other", "method": self.method}
        answer = self.http.post("/api/v1/projects", data=data, files=files)
        if answer.status_code != 202:
            raise SystemExit(answer.text)
        while (line := self._line())["state"] == "creating":
            time.sleep(0.2)
        if line["state"] != "ready":
            raise SystemExit(line["error"])

    def open(self) -> None:
        while self.http.get("/api/v1/projects/other").status_code == 503:
            time.sleep(0.2)

    def export(self) -> None:
        self._get("/api/v1/projects/other/export?format=csv")

    def report(self) -> None:
        self._get("/p/other/report")

    def prepare(self, made: Made) -> None:
        self.files = write_files(made, self.folder)

    def _line(self) -> dict:
        found = self.http.get("/api/v1/projects").json()["projects"]
        return next(line for line in found if line["name"] == "other")

    def _get(self, path: str) -> None:
        answer = self.http.get(path)
        if answer.status_code != 200:
            raise SystemExit(f"{path}: {answer.status_code} {answer.text[:200]}")


def during(step: Callable[[], None], site: Site, tokens: list[str], labels_of) -> tuple:
    """Let people work during a step; return its seconds, and the waits of all people."""
    ended = Event()
    workers = [Worker() for _ in tokens]
    threads = [
        Thread(target=work, args=(Wire(site, token), worker, labels_of, 10**9, ended))
        for token, worker in zip(tokens, workers, strict=True)
    ]
    for thread in threads:
        thread.start()
    start = time.perf_counter()
    step()
    seconds = time.perf_counter() - start
    ended.set()
    for thread in threads:
        thread.join()
    if refused := [one for worker in workers for one in worker.refused]:
        raise SystemExit(refused[0])
    return seconds, np.array([s for worker in workers for s in worker.seconds])


def measure(location: Path | str, people: int, n_own: int, n_other: int, method: str) -> bool:
    made = make(n=n_own, m=CLASSES, n_train=10_000)
    make_project(made, location, method=method)
    tokens, manager_token = add_people(location, people), manager_of(location)
    is_file = isinstance(location, Path)
    site = Site(location) if is_file else Site("made", str(location))
    is_met = True
    try:
        manager = Manager(site, manager_token, Path(tempfile.mkdtemp()), method)
        manager.prepare(make(n=n_other, m=CLASSES, seed=7, texts=texts(n_other)))
        client = site.client(tokens[0])
        site.wait_until(lambda: client.get("/status").json()["accuracy"], 600.0)
        for step in (manager.idle, manager.create, manager.open, manager.export, manager.report):
            seconds, waits = during(
                step, site, tokens, lambda i: np.flatnonzero(made.y_true[i]).tolist()
            )
            slowest = waits.max() * 1e3
            is_met = is_met and slowest < WANTED
            load = os.getloadavg()[0]
            print(
                f"{'SQLite' if is_file else 'PostgreSQL':10} {step.__name__:6} {seconds:6.1f} s: "
                f"{len(waits):5} decisions, median {np.median(waits) * 1e3:5.0f} ms, "
                f"p95 {np.percentile(waits, 95) * 1e3:5.0f} ms, slowest {slowest:5.0f} ms "
                f"(load of the machine {load:.1f})",
                flush=True,
            )
    finally:
        site.stop()
    return is_met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=20_000, help="of the other project")
    parser.add_argument("--own", type=int, default=50_000, help="documents of the people's project")
    parser.add_argument("--people", type=int, default=5)
    parser.add_argument("--method", default="contextual-dynamic")
    asked = parser.parse_args()
    options = asked.people, asked.own, asked.documents, asked.method
    is_met = measure(Path(tempfile.mkdtemp()) / "made.satc", *options)
    if Cluster.is_installed():
        cluster = Cluster()
        try:
            is_met = measure(cluster.new_database(), *options) and is_met
        finally:
            cluster.stop()
    print(f"slowest answer below {WANTED:.0f} ms: {'yes' if is_met else 'no'}")


if __name__ == "__main__":
    main()
