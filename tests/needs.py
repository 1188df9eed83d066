"""What a test needs and a machine may lack: data, a browser, a database."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def absent(reason: str) -> NoReturn:
    """Skip for want of data, browser or database; a skip that CI must not overlook is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
