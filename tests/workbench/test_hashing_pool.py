"""Hashing passwords holds nobody else up."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from calling import log_in, run_async

from satc.workbench.web.access import authentication
from satc.workbench.web.access.hashing_pool import HashingPool, LoginBusyError


def test_a_full_queue_refuses_at_once():
    async def scenario():
        pool, open_gate = HashingPool(threads=1, most_waiting=1), Event()
        waiting = [asyncio.ensure_future(pool.run(open_gate.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(LoginBusyError, match="try again later"):
            await pool.run(open_gate.wait)
        open_gate.set()
        assert await asyncio.gather(*waiting) == [True, True]
        return await pool.run(lambda: "free again")

    assert run_async(scenario()) == "free again"


def test_an_error_of_the_function_is_raised_and_frees_its_place():
    async def scenario():
        pool = HashingPool(threads=1, most_waiting=0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await pool.run(lambda: 1 / 0)

    run_async(scenario())


@pytest.fixture
def slow_hashing(team, monkeypatch):
    """Let the check of every password wait for an event; one waits, and one in the queue."""
    begun, open_gate = Event(), Event()

    def is_password(password, hashed):
        begun.set()
        open_gate.wait(30)
        return False

    monkeypatch.setattr(authentication, "is_password", is_password)
    team.state.authenticator.hashing = HashingPool(threads=1, most_waiting=40)
    yield begun, open_gate
    open_gate.set()


def test_many_waiting_logins_keep_nobody_else_waiting(team, stranger, slow_hashing):
    begun, open_gate = slow_hashing
    with ThreadPoolExecutor(45) as people:
        logins = [people.submit(log_in, stranger, f"name{i}") for i in range(15)]
        begun.wait(30)
        assert stranger.get("/login").status_code == 200  # a page that needs a thread
        open_gate.set()
        assert {login.result().status_code for login in logins} == {401}


def test_a_full_queue_is_told_with_the_time_to_come_back(team, stranger, slow_hashing):
    begun, open_gate = slow_hashing
    team.state.authenticator.hashing = HashingPool(threads=1, most_waiting=0)
    with ThreadPoolExecutor(1) as people:
        first = people.submit(log_in, stranger, "ann")
        begun.wait(30)
        answer = log_in(stranger, "max")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert "Try again in a few seconds" in answer.text
        open_gate.set()
        assert first.result().status_code == 401


def test_the_limiter_is_asked_before_a_password_is_hashed(team, stranger, monkeypatch):
    checked = []
    monkeypatch.setattr(authentication, "is_password", lambda *given: bool(checked.append(given)))
    codes = [log_in(stranger, "ann").status_code for _ in range(7)]
    assert codes == [401] * 5 + [429] * 2
    assert len(checked) == 5
