"""Stores in both databases, and real servers."""

from __future__ import annotations

from pathlib import Path

import pytest
from postgresql import Cluster

from needs import absent


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A real PostgreSQL, started for the tests."""
    if not Cluster.is_installed():
        absent("no PostgreSQL: install Debian's package postgresql")
    running = Cluster(tmp_path_factory.mktemp("postgresql"))
    yield running
    running.stop()


@pytest.fixture
def postgresql(cluster):
    """The address of an empty database."""
    return cluster.new_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request, tmp_path) -> Path | str:
    """Where a project can be made, in either database."""
    if request.param == "sqlite":
        return tmp_path / "made.satc"
    return request.getfixturevalue("postgresql")
