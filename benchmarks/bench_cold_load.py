"""Do people wait longer while a project learns? Twenty people, a cold start, over HTTP.

The same 50,000 documents x 97 classes, of which no label is known, are served twice: by a server
that learns after 10, 20, 40, ... decisions, and by one that never learns. Twenty people decide on
1,280 documents each time, so that it learns again and again. Prints the time that a person waits
for `next` and `submit` together (median, p95, longest), and the ratio of the two servers: the
median of several rounds.

    python benchmarks/bench_cold_load.py [documents] [seconds to think] [decisions] [rounds]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "workbench")]

from crowd import crowd, given_twice
from projects_made import add_people, make, make_project
from serving import Site

PEOPLE = 20
NEVER_LEARNS = """
import satc.workbench.review.learning as learning
learning.due = lambda n_decisions: 0
from satc.__main__ import main
main()
"""


class NeverLearns(Site):
    """A server whose projects keep their first estimates."""

    program = ("-c", NEVER_LEARNS)


def waits(kind: type[Site], project: Path, tokens: list[str], truth, pause: float, n: int):
    """Let everybody work on a copy of a project; return the waits, and what it says it learnt."""
    site = kind(project)
    try:
        client = site.client(tokens[0])
        client.get("/status")

        def labels_of(i: int) -> list[int]:
            return np.flatnonzero(truth[i]).tolist()

        crowd(site, tokens[:1], labels_of, 5)
        workers = crowd(site, tokens, labels_of, n // len(tokens), pause=pause)
        if [w.refused for w in workers if w.refused] or given_twice(workers):
            raise SystemExit("a document was given to two people, or a decision was refused")
        standing = client.get("/status").json()["standing"]
    finally:
        site.stop()
    return np.array([s for worker in workers for s in worker.seconds]) * 1e3, standing


def main() -> None:
    given = dict(enumerate(sys.argv))
    size, pause = int(given.get(1, 50_000)), float(given.get(2, 0.5))
    n, rounds = int(given.get(3, 1_280)), int(given.get(4, 5))
    made = make(n=size, m=97, n_train=1)
    folder = Path(tempfile.mkdtemp())
    project = folder / "cold.satc"
    make_project(made, project, cold=True, audit=0.2)
    tokens = add_people(project, PEOPLE)
    found: dict[type[Site], list] = {NeverLearns: [], Site: []}
    for k in range(rounds):
        for kind, known in sorted(
            found.items(), key=lambda one: one[0] is Site, reverse=k % 2 == 1
        ):
            copy = Path(tempfile.mkdtemp(dir=folder)) / "cold.satc"
            shutil.copy(project, copy)
            seconds, standing = waits(kind, copy, tokens, made.y_true, pause, n)
            known.append(seconds)
            name = "learns" if kind is Site else "never learns"
            p50, p95 = np.percentile(seconds, [50, 95])
            print(
                f"{name:13} {p50:6.1f} ms, p95 {p95:6.1f}, longest {seconds.max():6.1f}. "
                f"{standing.split('. ')[0]}.",
                flush=True,
            )
    for name, value in (("median", 50), ("p95", 95), ("longest", 100)):
        never, learns = (
            np.array([np.percentile(seconds, value) for seconds in known])
            for known in found.values()
        )
        ratio = float(np.median(learns / never))  # of several rounds: machines are shared
        print(f"{name:8} learning / never learning: {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
