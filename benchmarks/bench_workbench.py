"""Twenty people on 50,000 documents x 97 classes at the same time, over HTTP, dynamic method.

Prints how long one person waits for `next` and `submit` together, with 1 and with 20 people, and
the ratio of the two; on SQLite and, if Debian's PostgreSQL is installed, on PostgreSQL. This is
done with people who answer immediately, which is the highest load, and with people who think for
half a second. Also prints the processor time that a decision takes in the server, in the database
and in the clients, which share the processors here.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "workbench")]

from crowd import crowd, given_twice
from postgresql import Cluster
from projects_made import add_people, make, make_project
from serving import Site

from processor_time import processor_time

PEOPLE = 20
ROUNDS = 40
METHOD = "contextual-dynamic"
PAUSES = (0.0, 0.5)  # seconds to think


def measure(location: Path | str, made, method: str, database: Path | None = None) -> None:
    labels = [np.flatnonzero(row).tolist() for row in made.y_true]  # before anybody waits
    labels_of = labels.__getitem__

    make_project(made, location, method=method)
    tokens = add_people(location, PEOPLE)
    is_file = isinstance(location, Path)
    site = Site(location) if is_file else Site("made", str(location))
    try:
        first = site.client(tokens[0])
        site.wait_until(lambda: first.get("/status").json()["accuracy"], 300.0)
        crowd(site, tokens[:1], labels_of, 5)
        for pause in PAUSES:
            waits = {}
            for people in (1, PEOPLE):
                start = processor_time(site.process.pid, database)
                workers = crowd(site, tokens[:people], labels_of, ROUNDS, pause=pause)
                if [w.refused for w in workers if w.refused] or given_twice(workers):
                    raise SystemExit(
                        "a document was given to two people, or a decision was refused"
                    )
                seconds = [s for worker in workers for s in worker.seconds]
                waits[people] = np.percentile(seconds, [50, 95]) * 1e3
                spent = processor_time(site.process.pid, database).since(start, len(seconds))
            (one50, one95), (all50, all95) = waits[1], waits[PEOPLE]
            print(
                f"{'SQLite' if is_file else 'PostgreSQL':10} {method}, {pause:.1f} s to think: "
                f"1 person {one50:.1f} ms (p95 {one95:.1f}), {PEOPLE} people {all50:.1f} ms "
                f"(p95 {all95:.1f}), ratio of the p95 {all95 / one95:.1f}; {spent}",
                flush=True,
            )
    finally:
        site.stop()


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    made = make(n=size, m=97, n_train=10_000)
    folder = Path(tempfile.mkdtemp())
    measure(folder / "file.satc", made, METHOD)
    if Cluster.is_installed():
        cluster = Cluster()
        try:
            measure(cluster.new_database(), made, METHOD, Path(cluster.data))
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
