"""The sockets that a server listens on."""

from __future__ import annotations

import os
import socket
import stat

import pytest

from satc.workbench.web.listening import ServerError, is_loopback, listen, listen_on_file


def test_only_owner_and_group_may_open_a_unix_socket(tmp_path):
    before = os.umask(0)
    try:
        listener = listen_on_file(tmp_path / "satc.sock")
        assert os.umask(0) == 0  # that of other files is as before
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "satc.sock").stat().st_mode) == 0o660
    listener.close()


def test_a_socket_that_a_killed_server_has_left_is_replaced(tmp_path):
    listen_on_file(tmp_path / "satc.sock").close()
    listener = listen_on_file(tmp_path / "satc.sock")
    with socket.socket(socket.AF_UNIX) as probe:
        assert probe.connect_ex(str(tmp_path / "satc.sock")) == 0
    listener.close()


def test_a_socket_that_a_server_uses_is_left_alone(tmp_path):
    listener = listen_on_file(tmp_path / "satc.sock")
    with pytest.raises(ServerError, match="is used by another server"):
        listen_on_file(tmp_path / "satc.sock")
    listener.close()


def test_a_file_that_is_no_socket_is_left_alone(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ann")
    with pytest.raises(ServerError, match=r"letter\.txt is another file"):
        listen_on_file(path)
    assert path.read_text() == "Dear Ann"


def test_a_socket_in_a_folder_that_is_missing_is_refused(tmp_path):
    with pytest.raises(ServerError, match="cannot be made"):
        listen_on_file(tmp_path / "missing" / "satc.sock")


def test_a_port_that_is_in_use_is_refused():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(ServerError, match=f"port {port} of 127.0.0.1 cannot be used"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", True), ("::1", True), ("10.0.0.7", False), ("x", False)]
)
def test_addresses_of_this_machine_are_recognised(host, expected):
    assert is_loopback(host) is expected
