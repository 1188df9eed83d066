"""Real data where it is at hand; elsewhere such tests are skipped, and with CI=true they fail."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from needs import absent
from satc.datasets import Dataset, load
from satc.errors import DataError

pytest_plugins = ["databases", "calling", "browsing"]
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def data_home() -> Path:
    """The directory with the real data: SATC_DATA, or ../shared/data beside the repository."""
    path = Path(os.environ.get("SATC_DATA") or ROOT.parent / "shared" / "data")
    if not path.is_dir():
        absent(f"no data: {path} is not a directory; set SATC_DATA")
    return path


@pytest.fixture(scope="session")
def dataset(data_home: Path) -> Callable[[str], Dataset]:
    """Load a real dataset, once for each session: ``dataset("reuters21578")``."""

    @cache
    def loaded(name: str) -> Dataset:
        try:
            return load(name, data_home=data_home)
        except DataError as error:
            absent(str(error))

    return loaded
