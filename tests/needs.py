"""Handle data, browsers and databases that a test needs and this machine lacks."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def absent(reason: str) -> NoReturn:
    """Skip the test because something is missing; with CI=true, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
