"""How often somebody can try to log in."""

import pytest

from satc.workbench.web.access import login_limiter
from satc.workbench.web.access.login_limiter import LoginLimiter, TooManyAttemptsError


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    time = [1000.0]
    monkeypatch.setattr(login_limiter, "monotonic", lambda: time[0])
    return time


def is_refused(limiter, name, address):
    try:
        limiter.start(name, address)
    except TooManyAttemptsError:
        return True
    return False


def test_a_name_is_blocked_after_five_attempts_and_free_again_after_a_minute(clock):
    limiter = LoginLimiter()
    assert [is_refused(limiter, "ann", f"address {i}") for i in range(6)] == [False] * 5 + [True]
    clock[0] += 59.0
    assert is_refused(limiter, "ann", "another address")
    clock[0] += 1.0
    assert not is_refused(limiter, "ann", "another address")


def test_an_address_is_blocked_after_twenty_attempts_with_different_names():
    limiter = LoginLimiter()
    refused = [is_refused(limiter, f"name {i}", "here") for i in range(21)]
    assert refused == [False] * 20 + [True]
    assert not is_refused(limiter, "name 0", "there")


def test_a_refused_attempt_does_not_count():
    limiter = LoginLimiter()
    for _ in range(35):
        is_refused(limiter, "ann", "here")
    left = [is_refused(limiter, f"name {i}", "here") for i in range(16)]
    assert left == [False] * 15 + [True]


def test_right_passwords_never_block_an_address():
    limiter = LoginLimiter()
    for i in range(100):
        limiter.start(f"name {i}", "office")
        limiter.succeed(f"name {i}", "office")
    for _ in range(3):
        limiter.start("ann", "office")
        limiter.start("ann", "office")
        limiter.succeed("ann", "office")


def test_invented_names_do_not_fill_the_memory():
    limiter = LoginLimiter()
    for i in range(20_000):
        limiter.start(f"name {i}", f"address {i}")
    assert len(limiter._times) <= login_limiter._MAX_KEYS + 2
