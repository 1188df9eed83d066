"""Attacks on a real server, over its own socket."""

from __future__ import annotations

import socket
import stat
from contextlib import ExitStack

import httpx
import pytest
from projects_made import add_people, make, make_project
from serving import Site


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "claims.satc"
    make_project(make(n=10), path)
    site = Site(path)
    yield site, path
    site.stop()


def raw(site, content):
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as connection:
        connection.sendall(content)
        return connection.recv(65536)


def test_the_files_of_a_project_are_for_their_owner_alone(served):
    _, path = served
    found = list(path.parent.iterdir())
    assert len(found) > 1  # the log and the lock are there too
    for file in found:
        assert not stat.S_IMODE(file.stat().st_mode) & 0o077, file.name


@pytest.fixture(scope="module")
def team_served(tmp_path_factory):
    path = tmp_path_factory.mktemp("team") / "claims.satc"
    make_project(make(n=10), path)
    add_people(path, 1)
    site = Site(path, options=["--trusted-proxy", "10.0.0.7", "--auth-header", "X-Forwarded-User"])
    yield site
    site.stop()


def test_an_invented_address_does_not_deceive_the_limiter(team_served):
    with httpx.Client(base_url=team_served.url, verify=False) as client:  # noqa: S501
        guesses = [
            client.get(f"/join?key={i}", headers={"X-Forwarded-For": f"192.0.2.{i}"})
            for i in range(21)
        ]
    assert [one.status_code for one in guesses] == [410] * 20 + [429]


def test_the_login_header_of_anybody_on_this_machine_is_not_believed(team_served):
    headers = {"X-Forwarded-User": "person0", "X-Forwarded-For": "10.0.0.7"}
    assert httpx.get(f"{team_served.url}/api/v1/me", headers=headers).status_code == 401


SLOW = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\nx"
OUT = [b"/static/../../app.py", b"/static/%2e%2e/%2e%2e/app.py", b"/static/..%2fapp.py"]


def test_slow_callers_keep_nobody_else_waiting(served):
    site, _ = served
    with ExitStack() as stack:
        for _ in range(100):
            connection = socket.create_connection(("127.0.0.1", site.port), timeout=10)
            stack.enter_context(connection)
            connection.sendall(SLOW)
        assert site.client().get("/status").status_code == 200


@pytest.mark.parametrize("target", OUT)
def test_no_raw_path_leads_to_a_file(target, served):
    answer = raw(served[0], b"GET " + target + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert answer.split()[1] in (b"404", b"401", b"303", b"400")
    assert b"import" not in answer


def test_what_callers_send_is_not_written_to_the_log(served):
    site, _ = served
    raw(site, b"GET /%0aforged HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: forged\r\n\r\n")
    raw(site, b"forged \r\n\r\n")
    httpx.post(f"{site.url}/login", data={"name": "x\nforged", "password": "forged"})
    httpx.get(f"{site.url}/enter?key=forged%0a")
    site.errors.seek(0)
    assert b"forged" not in site.errors.read()


def test_the_server_does_not_say_what_it_is(served):
    headers = httpx.get(f"{served[0].url}/login").headers
    assert "server" not in headers
    assert "x-powered-by" not in headers


def test_a_server_believes_no_header_of_a_proxy_on_its_own_machine(served):
    site, _ = served
    forged = {"X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/evil"}
    answer = httpx.get(site.enter_url, headers=forged)
    assert answer.headers["location"] == "/"
    assert "Secure" not in answer.headers["set-cookie"]
