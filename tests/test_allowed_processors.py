import os

import pytest

from satc.machine import processors


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine of 8 processors without control groups."""
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(processors, "_GROUPS", tmp_path)
    monkeypatch.setattr(processors, "_OWN_GROUP", tmp_path / "own")
    return tmp_path


def test_a_process_may_use_all_processors_if_nothing_limits_it(machine):
    assert processors.allowed_processors() == 8


def test_affinity_limits_the_processors(machine, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 2, 3}, raising=False)
    assert processors.allowed_processors() == 3


@pytest.mark.parametrize(
    ("written", "expected"),
    [("200000 100000", 2), ("150000 100000", 2), ("50000 100000", 1), ("max 100000", 8), ("", 8)],
)
def test_the_quota_of_a_container_limits_the_processors(machine, written, expected):
    (machine / "own").write_text("0::/app/inner\n")
    (machine / "app" / "inner").mkdir(parents=True)
    (machine / "app" / "cpu.max").write_text(written)  # of the group that holds this one
    assert processors.allowed_processors() == expected


def test_the_quota_of_version_1_limits_the_processors(machine):
    (machine / "own").write_text("4:memory:/x\n3:cpu,cpuacct:/app\n")
    folder = machine / "cpu,cpuacct" / "app"
    folder.mkdir(parents=True)
    (folder / "cpu.cfs_quota_us").write_text("300000\n")
    (folder / "cpu.cfs_period_us").write_text("100000\n")
    assert processors.allowed_processors() == 3
    (folder / "cpu.cfs_quota_us").write_text("-1\n")
    assert processors.allowed_processors() == 8
