import threading

import pytest
from threadpoolctl import threadpool_limits

from satc.machine import threads
from satc.machine.threads import in_threads, map_in_threads, n_threads, one_thread


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
    monkeypatch.setattr(threads, "_blas", lambda: FakeLimits(3))
    assert n_threads() == 3
    assert set(map_in_threads(lambda _: n_threads(), range(3))) == {1}
    with one_thread():
        assert n_threads() == 1
        with one_thread():
            pass
        assert n_threads() == 1
    assert n_threads() == 3


class FakeLimits:
    """The libraries of linear algebra on a machine with more processors than this one."""

    def __init__(self, n):
        self.n = n

    def info(self):
        return [{"num_threads": self.n}]

    def limit(self, *, limits):
        return threadpool_limits(limits, user_api="blas")


def test_processors_that_a_container_may_not_use_get_no_threads(monkeypatch):
    monkeypatch.setattr(threads, "allowed_processors", lambda: 2)
    monkeypatch.setattr(threads, "_blas", lambda: FakeLimits(64))
    assert n_threads() == 2


def test_a_limit_of_linear_algebra_is_kept(monkeypatch):
    monkeypatch.setattr(threads, "allowed_processors", lambda: 8)
    with threadpool_limits(1, user_api="blas"):
        assert n_threads() == 1
