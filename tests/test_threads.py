import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import threadpoolctl
from threadpoolctl import threadpool_limits

from satc.machine import blas, threads
from satc.machine.threads import (
    even_parts,
    in_threads,
    map_in_threads,
    n_threads,
    one_thread,
)


@pytest.fixture
def _four(monkeypatch):
    """Let calls use four threads."""
    monkeypatch.setattr(threads, "n_threads", lambda: 4)


@pytest.mark.usefixtures("_four")
def test_parts_run_side_by_side_and_results_keep_their_order():
    meeting = threading.Barrier(4, timeout=60)

    def work(part):
        meeting.wait()
        return part * part

    assert list(map_in_threads(work, range(8))) == [k * k for k in range(8)]


@pytest.mark.usefixtures("_four")
def test_an_error_in_a_thread_reaches_the_caller():
    with pytest.raises(ZeroDivisionError, match="by zero"):
        in_threads(lambda part: 1 // part, [1, 0, 1])


def test_there_are_no_threads_within_threads(monkeypatch):
    monkeypatch.setattr(threads, "allowed_processors", lambda: 3)
    monkeypatch.setattr(threads, "allowed_threads", lambda: 3)
    assert n_threads() == 3
    assert set(map_in_threads(lambda _: n_threads(), range(3))) == {1}
    with one_thread():
        assert n_threads() == 1
        with one_thread():
            pass
        assert n_threads() == 1
    assert n_threads() == 3


def test_processors_that_a_container_may_not_use_get_no_threads(monkeypatch):
    monkeypatch.setattr(threads, "allowed_processors", lambda: 2)
    monkeypatch.setattr(threads, "allowed_threads", lambda: 64)
    assert n_threads() == 2


def test_a_limit_of_linear_algebra_is_kept(monkeypatch):
    monkeypatch.setattr(threads, "allowed_processors", lambda: 8)
    with threadpool_limits(1, user_api="blas"):
        assert n_threads() == 1


class FakeLibraries:
    """The libraries of linear algebra on a machine with more processors than this one."""

    def __init__(self, n):
        self.n = n

    def info(self):
        return [{"num_threads": self.n}]

    def limit(self, *, limits):
        limiter = FakeLimiter(self, self.n)
        self.n = limits
        return limiter


class FakeLimiter:
    """Sets the number of threads back to what it was."""

    def __init__(self, libraries, before):
        self.libraries, self.before = libraries, before

    def restore_original_limits(self):
        self.libraries.n = self.before


@pytest.fixture
def libraries(monkeypatch):
    """Return libraries of linear algebra that may use five threads, on six processors."""
    found = FakeLibraries(5)
    monkeypatch.setattr(blas, "libraries", lambda: found)
    monkeypatch.setattr(blas, "shared_libraries", lambda: found)
    monkeypatch.setattr(threads, "allowed_processors", lambda: 6)
    return found


def side_by_side(*works):
    """Call functions in threads of their own; return their results."""
    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result(timeout=60) for done in [pool.submit(work) for work in works]]


@pytest.mark.parametrize("first_ends_first", [True, False])
def test_overlapping_work_leaves_as_many_threads_as_before(libraries, first_ends_first):
    inside, ended = threading.Event(), threading.Event()

    def first():
        found = map_in_threads(lambda part: (part, libraries.n), range(3))
        next(found)
        inside.set()
        if not first_ends_first:
            ended.wait(60)
        rest = list(found)
        if first_ends_first:
            ended.set()
        return rest

    def second():
        inside.wait(60)
        found = map_in_threads(lambda part: (part, libraries.n), range(3))
        seen = [n_threads(), next(found)]
        if first_ends_first:
            ended.wait(60)
        seen += found
        if not first_ends_first:
            ended.set()
        return seen

    assert side_by_side(first, second) == [[(1, 1), (2, 1)], [5, (0, 1), (1, 1), (2, 1)]]
    assert (libraries.n, n_threads()) == (5, 5)


def test_linear_algebra_has_its_threads_again_after_an_error_and_after_an_early_end(libraries):
    with pytest.raises(ZeroDivisionError, match="by zero"):
        in_threads(lambda part: 1 // part, [1, 0, 1])
    assert libraries.n == 5
    started = map_in_threads(abs, range(3))
    next(started)
    assert libraries.n == 1
    started.close()
    assert libraries.n == 5


def test_others_may_use_all_threads_while_one_works(libraries):
    def work(part):
        return side_by_side(n_threads)[0], n_threads(), libraries.n

    assert set(map_in_threads(work, range(2))) == {(5, 1, 1)}


def test_one_thread_also_holds_for_products_of_matrices(libraries):
    with one_thread():
        assert list(map_in_threads(lambda _: libraries.n, range(3))) == [1, 1, 1]
        assert even_parts(7) == [slice(0, 7)]
    assert even_parts(7) == [slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 7)]


def test_a_limit_that_somebody_else_has_set_in_the_meantime_stays(libraries):
    started = map_in_threads(abs, range(3))
    next(started)
    libraries.n = 4
    assert list(started) == [1, 2]
    assert libraries.n == 4


def test_a_library_whose_threads_have_limits_of_their_own_is_left_alone(monkeypatch):
    class Library:
        user_api, internal_api = "blas", "openblas"

        def __init__(self, layer):
            self.threading_layer = self.filepath = layer

        def info(self, **_):
            return {"filepath": self.filepath, "num_threads": 4}

    found = threadpoolctl.ThreadpoolController._from_controllers(
        [Library("pthreads"), Library("openmp")]
    )
    monkeypatch.setattr(blas, "libraries", lambda: found)
    shared = blas.shared_libraries.__wrapped__()
    assert [one.filepath for one in shared.lib_controllers] == ["pthreads"]


SEARCHES = """
import threading
import numpy as np
from satc.calibration.similarity.clusters import ClusterIndex
from satc.calibration.similarity.nearest import nearest
from satc.machine import blas, threads

for library in blas.libraries().lib_controllers:
    library.set_num_threads(3)
blas._release_control()
threads.allowed_processors = lambda: 3
features = np.random.default_rng(0).normal(size=(3_000, 24)).astype(np.float32)
features /= np.linalg.norm(features, axis=1, keepdims=True)
index = ClusterIndex(features, 0)
meeting = threading.Barrier(3)

def search(alone):
    meeting.wait()
    for k in range(1, 6):
        part = features[: 500 * k]
        if alone:
            with threads.one_thread():
                nearest(index, part, np.arange(len(part)), 20)
        else:
            nearest(index, part, np.arange(len(part)), 20)

before = threads.n_threads()
searches = [threading.Thread(target=search, args=(k == 1,)) for k in range(3)]
for one in searches:
    one.start()
for one in searches:
    one.join()
pools = {pool["num_threads"] for pool in blas.libraries().info()}
print(before, threads.n_threads(), *pools)
"""


def test_overlapping_searches_leave_the_real_libraries_as_they_were():
    done = subprocess.run(
        [sys.executable, "-c", SEARCHES], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["3", "3", "3"]
