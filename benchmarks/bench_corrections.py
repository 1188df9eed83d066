"""Undo of an old decision and start of a project, at 50,000 documents x 97 classes.

Prints ratios that are measured in one run, by processor time, so that other work on the machine
counts little: undoing the oldest of 7,500 decisions compared with one submit, and a start after
7,500 decisions and 2,000 undone ones compared with a start after none. The scores are random.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from satc.measures import F1
from satc.ranking.documents import RankedDocuments
from satc.ranking.methods import parse_method
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.model import RankingModel
from satc.validation import Validation
from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.model.settings import Settings
from satc.workbench.project.history import History
from satc.workbench.review.state import ProjectState
from satc.workbench.store.projects import Project
from scores import make
from timing import report

SHAPE = (50_000, 97)
N_DECISIONS, N_UNDONE = 7_500, 2_000
REPEAT = 15
PEOPLE = [f"p{k}" for k in range(20)]


def ranked_documents(method: str, average: str) -> RankedDocuments:
    """Return the documents as a calibrator would leave them."""
    probability = 1.0 / (1.0 + np.exp(-6.0 * scores))
    errors = GivenMisclassification.from_probability(scores >= 0, probability)
    tables = errors.expected_tables()
    model = RankingModel(parse_method(method), F1, average, SHAPE[1], tables)
    return RankedDocuments(model, scores, errors)


def timed(function) -> float:
    start = process_time()
    function()
    return 1e3 * (process_time() - start)


def bench_undo(method: str, average: str) -> None:
    v = Validation.of(ranked_documents(method, average))
    submits, nexts = [], []
    for _ in range(N_DECISIONS):
        i = v.next()
        taken = timed(lambda i=i: v.submit(i, labels[i]))
        then = timed(v.next)
        if (labels[i] != v.documents.decided_on(i)).any():
            submits.append(taken)
            nexts.append(then)
    undos: dict[str, list[float]] = {"oldest": [], "newest": []}
    for _ in range(REPEAT):
        for name, place in (("oldest", 0), ("newest", -1)):
            i = int(v.order[place])
            undos[name].append(timed(lambda i=i: v.undo(i)))
            v.submit(i, labels[i])
    one = float(np.median(submits))
    whole = float(np.mean(submits) + np.mean(nexts))
    print(
        f"{method}, {average}: {len(submits):,} of {N_DECISIONS:,} documents were corrected; "
        f"submit of a correction {one:.2f} ms, with the next document {whole:.2f} ms on average; "
        f"undo of the oldest {np.median(undos['oldest']):.2f} ms, of the newest "
        f"{np.median(undos['newest']):.2f} ms"
    )
    for name, taken in undos.items():
        ratio = float(np.median(taken)) / whole
        report(f"  undo of the {name} / submit of a correction and next", ratio, "about 1")


def made_events() -> list[Event]:
    """Return decisions of 20 people, who then undo the last ones that they made."""
    rng = np.random.default_rng(0)
    documents = rng.permutation(SHAPE[0])[: N_DECISIONS + N_UNDONE].tolist()
    made: list[Event] = []

    def add(who: str, kind: str, document: int, **more) -> None:
        made.append(Event(len(made) + 1, "2026-01-01T00:00:00", who, kind, document, **more))

    for k, document in enumerate(documents):
        who = PEOPLE[k % len(PEOPLE)]
        add(who, events.DECIDE, document, labels=tuple(np.flatnonzero(labels[document]).tolist()))
    last = made[: -N_UNDONE - 1 : -1]
    for decision in sorted(last, key=lambda one: one.who):
        add(decision.who, events.UNDO, decision.document, details={"of": decision.number})
    return made


def bench_start(method: str) -> None:
    documents, happened = ranked_documents(method, "macro"), made_events()
    classes = tuple(f"c{j}" for j in range(SHAPE[1]))
    project = Project(1, "random", Settings("random", method=method), SHAPE[0], classes, "")

    def started(history: list[Event]) -> ProjectState:
        state = ProjectState(project, Validation.of(documents), History.of(history))
        state.validation.next()
        return state

    none, some = [], []
    for _ in range(5):
        none.append(timed(lambda: started([])))
        some.append(timed(lambda: started(happened)))
    print(
        f"{method}: start with {N_DECISIONS:,} decisions and {N_UNDONE:,} undone ones "
        f"{np.median(some):.0f} ms, with none {np.median(none):.0f} ms"
    )
    report(
        "  start with decisions / start with none", np.median(some) / np.median(none), "below 10"
    )


if __name__ == "__main__":
    scores, labels = make(SHAPE)
    for method in sys.argv[1:] or ["contextual-dynamic", "u-theoretic-dynamic"]:
        for average in ("macro", "micro"):
            bench_undo(method, average)
        bench_start(method)
