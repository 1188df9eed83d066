"""Send one message by HTTP, to a checked address.

The name of the host is resolved once, every address that it has must be allowed, and the connection
goes to exactly such an address. So a name server that gives another answer a moment later changes
nothing. The header `Host` and the check of the certificate use the name. Redirects are not
followed, proxies of the environment are not used, and only the beginning of an answer is read.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Callable, Sequence
from threading import Timer
from typing import Any

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.model.webhooks.address import Address, parse_address
from satc.workbench.model.webhooks.networks import Network, may_send_to
from satc.workbench.store.webhooks.outbox import Outcome

_CONNECT_SECONDS = 5.0
_READ_SECONDS = 10.0
_TOTAL_SECONDS = 20.0
_ANSWER_BYTES = 4096
_MAX_ADDRESSES = 4  # of one name that are tried
Resolver = Callable[..., list[Any]]


class Post:
    """Sends messages.

    Parameters
    ----------
    networks
        Networks that are allowed although they are not public.
    resolve
        Finds the addresses of a name, like `socket.getaddrinfo`.
    """

    def __init__(
        self, networks: Sequence[Network] = (), resolve: Resolver = socket.getaddrinfo
    ) -> None:
        self._networks = tuple(networks)
        self._resolve = resolve

    def check(self, url: str) -> None:
        """Refuse an address that messages cannot be sent to.

        Raises
        ------
        DataError
            If it is no address, if there is no such host, or if it is not public.
        """
        address = parse_address(url)
        try:
            self._allowed(address)
        except OSError as error:
            raise DataError(Message("webhooks.no_such_host", host=address.host)) from error

    def __call__(self, url: str, body: bytes, headers: dict[str, str]) -> Outcome:
        """Send a message; return what became of it."""
        try:
            address = parse_address(url)
            return self._send(address, self._allowed(address), body, headers)
        except (DataError, OSError, http.client.HTTPException, ValueError) as error:
            return Outcome(None, _said(error))

    def _allowed(self, address: Address) -> list[str]:
        """Return the IP addresses of a host; refuse the host if one of them is not allowed."""
        found = self._resolve(address.host, address.port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        if not all(may_send_to(one, self._networks) for one in addresses):
            raise DataError(Message("webhooks.not_public", host=address.host))
        return addresses[:_MAX_ADDRESSES]

    def _send(
        self, address: Address, found: Sequence[str], body: bytes, headers: dict[str, str]
    ) -> Outcome:
        connection = _Connection(address, found)
        limit = Timer(_TOTAL_SECONDS, connection.abort)
        limit.daemon = True
        limit.start()
        try:
            sent = {"Host": address.authority, "Content-Type": "application/json", **headers}
            sent |= {"User-Agent": "satc", "Connection": "close"}
            connection.request("POST", address.target, body, sent)
            answer = connection.getresponse()
            answer.read(_ANSWER_BYTES)
            if connection.was_aborted:
                raise TimeoutError
            return Outcome(answer.status, _refusal(answer.status))
        finally:
            limit.cancel()
            connection.close()


class _Connection(http.client.HTTPConnection):
    """A connection to given IP addresses of a host."""

    def __init__(self, address: Address, found: Sequence[str]) -> None:
        super().__init__(address.host, address.port, timeout=_READ_SECONDS)
        self._address = address
        self._found = found
        self.was_aborted = False

    def connect(self) -> None:
        """Connect to the first address that answers; with https, check the certificate."""
        sock = self._connected()
        if self._address.scheme == "https":
            context = ssl.create_default_context()
            secured = context.wrap_socket(
                sock, server_hostname=self._address.host, do_handshake_on_connect=False
            )
            self.sock = secured
            secured.do_handshake()
        else:
            self.sock = sock

    def _connected(self) -> socket.socket:
        failed: OSError | None = None
        for one in self._found:
            try:
                sock = socket.create_connection((one, self._address.port), _CONNECT_SECONDS)
            except OSError as error:
                failed = error
                continue
            if self.was_aborted:
                sock.close()
                raise TimeoutError
            sock.settimeout(_READ_SECONDS)
            return sock
        raise failed or OSError("the host has no address")

    def abort(self) -> None:
        """End the connection: the receiver takes too long."""
        self.was_aborted = True
        if (sock := self.sock) is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:  # it has ended already
                return


def _refusal(status: int) -> str | None:
    if 300 <= status < 400:
        return "redirects are not followed"
    return None if status < 300 else "the receiver has refused the message"


def _said(error: Exception) -> str:
    """Return an error in one line."""
    if isinstance(error, TimeoutError):
        return "the receiver did not answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).partition("\n")[0] or type(error).__name__
