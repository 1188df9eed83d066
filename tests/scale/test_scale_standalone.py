"""Spark on a real standalone cluster: a master and two workers, and a worker that fails."""

import os
import threading
import time
from dataclasses import replace

import pytest
from stored_made import check_same, classes_of, real_scores, write_long

import satc
from satc import scale

pytestmark = [
    # Spark leaves sockets to the garbage collector
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
    ),
]


@pytest.fixture(scope="module")
def made(dataset):
    return real_scores(dataset("reuters21578"), n=300, m=8)


@pytest.fixture(scope="module")
def stored(standalone, made, tmp_path_factory):
    path = write_long(tmp_path_factory.mktemp("scores"), made.scores)
    with scale.connect("spark", master=standalone.url) as engine:
        yield scale.stored_scores(engine, path, classes=classes_of(8))


def test_contextual_with_real_scores_gives_the_order_of_memory(stored, made):
    memory = satc.rank(made.scores, **made.training)
    check_same(scale.rank(stored, **made.training), memory, n=100)


def _waiting(stored, folder):
    """Return the same scores, from a function that waits while the file `armed` exists."""

    def wait(batches):
        while (folder / "armed").exists():
            (folder / f"task-{os.getpid()}").touch()
            time.sleep(0.05)
        yield from batches

    schema = stored.table.schema().to_pyarrow()
    table = stored.engine.map_batches(stored.table, wait, schema)
    return replace(stored, table=table)


def _kill_a_worker(cluster, folder):
    """Kill the worker that runs the first task, while the task is in the middle of its work."""
    try:
        while not (tasks := list(folder.glob("task-*"))):
            time.sleep(0.05)
        cluster.kill(cluster.worker_of(int(tasks[0].name.removeprefix("task-"))))
    finally:
        (folder / "armed").unlink()


def test_a_worker_killed_in_the_middle_does_not_change_the_result(
    standalone, stored, made, tmp_path
):
    memory = satc.rank(made.scores, **made.training)
    earlier = scale.rank(stored, **made.training)
    check_same(earlier, memory, n=100)  # both workers have kept some of its probabilities
    (tmp_path / "armed").touch()
    killer = threading.Thread(target=_kill_a_worker, args=(standalone, tmp_path), daemon=True)
    killer.start()
    ranking = scale.rank(_waiting(stored, tmp_path), **made.training)
    check_same(ranking, memory, n=100)
    killer.join()
    assert [worker.poll() is None for worker in standalone.workers].count(True) == 1
    check_same(earlier, memory, n=100)  # those of the killed worker are computed again
