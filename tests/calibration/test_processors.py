import os

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from satc.calibration import processors
from satc.calibration.processors import idle_processors, on_idle_processors


@pytest.fixture(autouse=True)
def _all_allowed(monkeypatch, tmp_path):
    """Let this process use all processors of the machine, which do nothing else at the moment."""
    monkeypatch.setattr(processors, "allowed_processors", lambda: os.cpu_count())
    monkeypatch.setattr(processors, "_LOAD", tmp_path / "loadavg")
    (tmp_path / "loadavg").write_text("0.00 0.00 0.00 1/80 4711\n")


def openmp_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "openmp"}


@pytest.mark.parametrize(("load", "idle"), [(0.0, 8), (2.5, 5), (7.9, 1), (30.0, 1)])
def test_busy_processors_are_left_alone(monkeypatch, load, idle):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    assert idle_processors() == idle


def test_processors_that_a_container_may_not_use_are_not_idle(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "getloadavg", lambda: (3.0, 0.0, 0.0))
    monkeypatch.setattr(processors, "allowed_processors", lambda: 2)
    assert idle_processors() == 2


def test_programs_that_have_just_started_keep_processors_busy(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.1, 0.0, 0.0))
    (tmp_path / "loadavg").write_text("0.10 0.00 0.00 6/80 4711\n")
    assert idle_processors() == 3


@pytest.mark.parametrize("text", [None, "", "0.1 0.0 0.0 many 4711"])
def test_without_a_number_of_running_threads_the_average_counts(monkeypatch, tmp_path, text):
    (tmp_path / "loadavg").unlink() if text is None else (tmp_path / "loadavg").write_text(text)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "getloadavg", lambda: (2.5, 0.0, 0.0))
    assert idle_processors() == 5


def test_where_the_load_is_not_known_all_processors_are_used(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert idle_processors() == 4


def test_threads_are_limited_and_a_lower_limit_stays(monkeypatch):
    HistGradientBoostingClassifier  # noqa: B018 (loads OpenMP)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "getloadavg", lambda: (2.0, 0.0, 0.0))
    with threadpool_limits(3, user_api="openmp"):
        with on_idle_processors():
            assert openmp_threads() == {2}
        assert openmp_threads() == {3}
    with threadpool_limits(1, user_api="openmp"), on_idle_processors():
        assert openmp_threads() == {1}


def test_a_fit_does_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    values, labels = rng.random((2000, 5)), rng.random(2000) < 0.3
    fitted = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="openmp"):
            model = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(values, labels)
            fitted.append(model.predict_proba(values))
    np.testing.assert_array_equal(*fitted)
