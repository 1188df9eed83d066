"""Clients that send too much, too slowly, or nothing: they are cut off, and others are answered."""

from __future__ import annotations

import shutil
from contextlib import ExitStack

import httpx
import pytest
from projects_made import make, make_project
from raw_sockets import HEAD, Client, StrictSite, status
from serving import Site

from satc.workbench.web.connections.limits import ConnectionLimits

LIMITS = ConnectionLimits()
BODY = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = BODY + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    path = tmp_path_factory.mktemp("connections") / "claims.satc"
    make_project(make(n=10), path)
    return path


@pytest.fixture(scope="module")
def site(project, strict):  # the project is copied before it is served
    running = Site(project)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def strict(project):
    running = StrictSite(shutil.copy(project, project.with_name("strict.satc")))
    yield running
    running.stop()


def is_answered(site):
    return httpx.get(f"{site.url}/healthz", timeout=10).text == "ok\n"


def test_a_header_without_end_is_cut_off_and_others_are_answered(site):
    with Client(site) as client:
        client.send(HEAD + b"X: ")
        for _ in range(200):
            client.send(b"x" * (64 << 10))
        assert is_answered(site)
        assert status(client.answer()) == 431


def test_many_short_headers_are_refused(site):
    with Client(site) as client:
        client.send(HEAD + b"".join(b"X-%d: y\r\n" % i for i in range(200_000)))
        assert status(client.answer()) == 431
    assert is_answered(site)


@pytest.mark.parametrize(("more", "code"), [(0, 200), (1, 431)])
def test_the_number_of_headers_is_limited(site, more, code):
    n = LIMITS.headers - 2 + more  # Host and Connection are two
    with Client(site) as client:
        client.send(HEAD + b"X: y\r\n" * n + b"Connection: close\r\n\r\n")
        assert status(client.answer()) == code


@pytest.mark.parametrize(("size", "code"), [(30 << 10, 200), (33 << 10, 431), (50 << 10, 431)])
def test_the_bytes_of_headers_are_limited(site, size, code):
    with Client(site) as client:
        client.send(HEAD + b"X: " + b"y" * size + b"\r\nConnection: close\r\n\r\n")
        assert status(client.answer()) == code


@pytest.mark.parametrize(("size", "code"), [(8_000, 200), (8_200, 414), (100_000, 414)])
def test_the_length_of_an_address_is_limited(site, size, code):
    with Client(site) as client:
        path = b"/healthz?" + b"x" * (size - 9)
        client.send(b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert status(client.answer()) == code


def test_a_request_after_a_long_body_has_limits_of_its_own(site):
    body = b"name=x&password=" + b"x" * 100_000
    with Client(site) as client:
        client.send(BODY + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert status(client.first()) in (401, 422)
        client.send(HEAD + b"X: " + b"y" * (40 << 10))
        assert b"HTTP/1.1 431 " in client.answer()


@pytest.mark.parametrize("end", [b"1;" + b"x" * 100_000, b"0\r\n" + b"X: y\r\n" * 50_000])
def test_parts_of_a_body_bring_no_headers_without_limit(site, end):
    with Client(site) as client:
        client.send(CHUNKED + end)
        client.answer()  # the server closes the connection
    assert is_answered(site)


def test_small_parts_of_a_body_are_no_attack(site):
    with Client(site) as client:
        client.send(CHUNKED + b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n")
        assert status(client.first()) in (401, 422)


def test_requests_that_do_not_wait_for_answers_are_limited(site):
    with Client(site) as client:
        client.send((HEAD + b"\r\n") * 10_000)
        answered = client.answer().count(b"HTTP/1.1 200 OK")
    assert answered < 100
    assert is_answered(site)


def test_a_slow_header_is_cut_off(strict):
    with Client(strict) as client:
        client.send(HEAD + b"X: ")
        assert status(client.answer()) == 408
    assert is_answered(strict)


def test_a_slow_header_on_a_used_connection_is_cut_off(strict):
    with Client(strict) as client:
        client.send(HEAD + b"\r\n")
        assert status(client.first()) == 200
        client.send(HEAD)
        assert b"HTTP/1.1 408 " in client.answer()


@pytest.mark.parametrize("content", [b"", b"\r\n", HEAD + b"\r\n"])
def test_idle_connections_are_closed(strict, content):
    with Client(strict) as client:
        client.send(content)
        answer = client.answer()
    assert answer.endswith(b"ok\n") if b"GET" in content else answer == b""


def test_a_slow_body_is_cut_off(strict):
    with Client(strict) as client:
        client.send(BODY + b"Content-Length: 99\r\n\r\nx")
        answer = client.answer()
    assert answer.count(b"HTTP/1.1 ") <= 1
    assert answer == b"" or status(answer) == 401  # which needs no body
    assert is_answered(strict)


def test_a_client_that_does_not_read_is_cut_off(strict):
    page = b"GET /static/theme.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with Client(strict) as client:
        for _ in range(2_000):
            client.send(page)
        strict.wait_until(lambda: connections(strict) == 1)  # the one that asks


def connections(site):
    page = httpx.get(f"{site.url}/metrics", headers={"Authorization": f"Bearer {site.key}"}).text
    line = next(one for one in page.splitlines() if one.startswith("satc_http_connections "))
    return float(line.split()[1])


def test_when_there_are_too_many_connections_the_oldest_idle_one_is_closed(strict):
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(strict)) for _ in range(25)]
        assert is_answered(strict)
        assert clients[0].answer() == b""


def test_refusals_are_counted(strict):
    with Client(strict) as client:
        client.send(b"nonsense\r\n\r\n")
        assert status(client.answer()) == 400
    page = httpx.get(f"{strict.url}/metrics", headers={"Authorization": f"Bearer {strict.key}"})
    assert 'satc_http_refused_total{status="400"} ' in page.text
