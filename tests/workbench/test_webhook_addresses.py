"""Where webhooks may be sent: never to private addresses unless they are allowed."""

from __future__ import annotations

import socket
import ssl
import subprocess
import time
from threading import Thread

import pytest
from receiver import Receiver

from satc.errors import DataError
from satc.workbench.model.webhooks.address import parse_address
from satc.workbench.model.webhooks.networks import (
    EVERYWHERE,
    allowed_networks,
    may_send_to,
    parse_network,
)
from satc.workbench.review.webhooks import request
from satc.workbench.review.webhooks.request import Post

PUBLIC = ("8.8.8.8", "93.184.215.14", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8")
PRIVATE = (
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",  # noqa: S104
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::808:808",
    "2002:7f00:1::",
    "2001:0:808:808:0:0:80ff:fffe",
    "2001:db8::1",
    "fe80::1",
    "fec0::1",
    "fd00::1",
    "ff02::1",
)


@pytest.fixture
def receiver():
    running = Receiver()
    yield running
    running.close()


def resolver(*answers):
    """Return a name server that gives one answer after the other."""
    left = [list(one) for one in answers]

    def resolve(host, port, **_):
        found = left.pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

    return resolve


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address):
    assert may_send_to(address)


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public_need_a_permission(address):
    assert not may_send_to(address)
    assert may_send_to(address, EVERYWHERE)


def test_a_network_allows_its_own_addresses_alone():
    allowed = allowed_networks(False, ["10.1.0.0/16", "fd00::/8"])
    assert may_send_to("10.1.2.3", allowed)
    assert may_send_to("::ffff:10.1.2.3", allowed)
    assert may_send_to("fd00::1", allowed)
    assert not may_send_to("10.2.0.1", allowed)
    with pytest.raises(ValueError, match=r"a network must be written like 10\.1\.0\.0/16"):
        parse_network("10.1.2.3/16")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org/",
        "file://localhost/etc/passwd",
        "gopher://example.org/",
        "http://",
        "http:///path",
        "http://user@example.org/",
        "http://user:password@example.org/",
        "http://example.org/#fragment",
        "http://example.org:port/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://exam ple.org/",
        "http://example.org/\r\nX-Header: 1",
        "http://example.org\\@127.0.0.1/",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://bücher.example/",
        "http://-example.org/",
        "http://example.org/" + "x" * 2000,
    ],
)
def test_only_plain_addresses_of_http_are_taken(url):
    with pytest.raises(DataError, match="url must be an address such as"):
        parse_address(url)


def test_the_parts_of_an_address():
    assert parse_address("HTTP://EXAMPLE.org")[:] == ("http", "example.org", 80, "example.org", "/")
    assert parse_address("https://[2606:4700::1]:443/a?b=c").authority == "[2606:4700::1]"
    assert parse_address("https://example.org:444").authority == "example.org:444"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "0", "[::1]"])
def test_nothing_is_sent_to_this_machine_without_a_permission(host, receiver):
    url = f"http://{host}:{receiver.port}/hook"
    outcome = Post()(url, b"{}", {})
    assert outcome.status is None
    assert "is not a public address" in outcome.error or "not known" in outcome.error
    with pytest.raises(DataError, match=r"not a public address|There is no host"):
        Post().check(url)
    assert receiver.received.empty()


def test_one_private_address_among_public_ones_is_enough_to_refuse(receiver):
    post = Post(resolve=resolver(["8.8.8.8", "127.0.0.1"]))
    assert "is not a public address" in post(f"http://two.example:{receiver.port}/", b"", {}).error
    assert receiver.received.empty()


def test_a_name_that_changes_its_address_is_not_asked_twice(receiver, monkeypatch):
    connected = []

    def connect(address, _):
        connected.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(request.socket, "create_connection", connect)
    post = Post(resolve=resolver(["8.8.8.8"], ["127.0.0.1"]))
    url = f"http://rebinding.example:{receiver.port}/"
    assert post(url, b"", {}).error == "Connection refused"
    assert connected == [("8.8.8.8", receiver.port)]
    assert "is not a public address" in post(url, b"", {}).error
    assert connected == [("8.8.8.8", receiver.port)]


def test_the_name_stays_in_the_request(receiver):
    post = Post(EVERYWHERE, resolver(["127.0.0.1"]))
    sent = post(f"http://hooks.example:{receiver.port}/a?b=c", b"{}", {"X": "1"})
    assert (sent.status, sent.error) == (204, None)
    (found,) = receiver.take(1)
    assert found.headers["Host"] == f"hooks.example:{receiver.port}"
    assert (found.path, found.body, found.headers["X"]) == ("/a?b=c", b"{}", "1")


def test_proxies_of_the_environment_are_not_used(receiver, monkeypatch):
    proxy = Receiver()
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    assert Post(EVERYWHERE)(receiver.url, b"{}", {}).status == 204
    assert proxy.received.empty()
    proxy.close()


def test_an_answer_that_does_not_come_is_given_up(monkeypatch):
    monkeypatch.setattr(request, "_READ_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        assert Post(EVERYWHERE)(url, b"{}", {}).error == "the receiver did not answer in time"


def test_an_answer_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr(request, "_TOTAL_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as dripping:
        url = f"http://127.0.0.1:{dripping.getsockname()[1]}/"

        def drip():
            caller, _ = dripping.accept()
            with caller:
                caller.sendall(b"HTTP/1.1 200 OK\r\n")
                try:
                    while True:
                        caller.sendall(b"X")
                        time.sleep(0.02)
                except OSError:
                    return

        Thread(target=drip, daemon=True).start()
        outcome = Post(EVERYWHERE)(url, b"{}", {})
        assert outcome == (None, "the receiver did not answer in time")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return the files of a key and of a certificate for hooks.example."""
    folder = tmp_path_factory.mktemp("certificate")
    key, file = folder / "key.pem", folder / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-keyout", key, "-out", file, "-days", "2", "-subj", "/CN=hooks.example"]
    command += ["-addext", "subjectAltName=DNS:hooks.example"]
    subprocess.run(command, check=True, capture_output=True)
    return key, file


def test_the_certificate_must_be_that_of_the_name(certificate, monkeypatch):
    key, file = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    secured = Receiver(context)

    def send(name):
        post = Post(EVERYWHERE, resolver(["127.0.0.1"]))
        return post(f"https://{name}:{secured.port}/", b"{}", {})

    assert "certificate" in send("hooks.example").error.lower()  # nobody trusts it
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    assert send("hooks.example").status == 204
    assert "hostname" in send("other.example").error.lower()
    secured.close()
