"""Fixtures that several folders share: real data, a database server and LibreOffice.

A test that needs something which this machine lacks is skipped; with CI=true it fails.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from postgresql import Cluster

from marking import mark, slowest_files_first
from needs import absent
from office import Office

if TYPE_CHECKING:
    from satc.datasets import Dataset

ROOT = Path(__file__).resolve().parents[1]

# No test fails for its time: machines are shared, and the first example may compile a kernel.
hypothesis.settings.register_profile("satc", deadline=None)
hypothesis.settings.load_profile("satc")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Set the markers before pytest selects by them, and order the files."""
    for item in items:
        mark(item)
    items.sort(key=slowest_files_first)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Return the directory of the real data: SATC_DATA, or ../shared/data."""
    path = Path(os.environ.get("SATC_DATA") or ROOT.parent / "shared" / "data")
    if not path.is_dir():
        absent(f"no data: {path} is not a directory; set SATC_DATA")
    return path


@pytest.fixture(scope="session")
def dataset(data_home: Path) -> Callable[[str], Dataset]:
    """Load a real dataset, once per session: ``dataset("reuters21578")``."""
    from satc.datasets import load  # here, because the process that starts the workers needs none
    from satc.errors import DataError

    @cache
    def loaded(name: str) -> Dataset:
        try:
            return load(name, data_home=data_home)
        except DataError as error:
            absent(str(error))

    return loaded


@pytest.fixture(scope="session")
def cluster():
    """Start a real PostgreSQL server."""
    if not Cluster.is_installed():
        absent("no PostgreSQL: install Debian's package postgresql")
    running = Cluster(durable=False)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def soffice(tmp_path_factory) -> Office:
    """Return LibreOffice, which converts files; it has a profile of its own."""
    if not Office.is_installed():
        absent("no LibreOffice: install Debian's package libreoffice-calc-nogui")
    return Office(tmp_path_factory.mktemp("office"))


@pytest.fixture
def postgresql(cluster) -> str:
    """Return the address of an empty database."""
    return cluster.new_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request, tmp_path) -> Path | str:
    """Return a place for a new project: a file, and the address of a database."""
    if request.param == "sqlite":
        return tmp_path / "made.satc"
    return request.getfixturevalue("postgresql")
