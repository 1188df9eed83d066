"""The proxies that are trusted, by address: only they may say who sent a request, and how."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)


class TrustedProxies:
    """Addresses and networks of proxies.

    Parameters
    ----------
    networks
        Addresses, such as ``10.0.0.7``, or networks, such as ``10.0.0.0/8``.
    unix_socket
        Whether a request without an address is trusted: one through a Unix socket, which only a
        proxy with the right to open it can send.

    Raises
    ------
    ValueError
        If one of `networks` is neither an address nor a network.
    """

    def __init__(self, networks: Iterable[str] = (), *, unix_socket: bool = False) -> None:
        self._networks = [_network(one) for one in networks]
        self._unix_socket = unix_socket

    def __bool__(self) -> bool:
        return bool(self._networks) or self._unix_socket

    def trusts(self, sender: str | None) -> bool:
        """Whether what this sender says about a request is believed; None is a Unix socket.

        >>> proxies = TrustedProxies(["10.0.0.0/8"])
        >>> proxies.trusts("10.1.2.3"), proxies.trusts("127.0.0.1"), proxies.trusts(None)
        (True, False, False)
        """
        if not sender:
            return self._unix_socket
        if not self._networks:
            return False
        address = parse_address(sender)
        return address is not None and any(address in one for one in self._networks)

    def client(self, forwarded_for: Sequence[str]) -> str | None:
        """Return the sender of a request that trusted proxies have passed on.

        Each proxy adds the address that it has seen at the end. So the last address that is not
        one of a trusted proxy counts: what stands before it may be invented. None means that no
        address can be believed.

        >>> TrustedProxies(["10.0.0.0/8"]).client(["6.6.6.6", "192.0.2.1", "10.0.0.7"])
        '192.0.2.1'
        """
        found = None
        for written in reversed(forwarded_for):
            address = parse_address(written)
            if address is None:
                return found
            found = str(address)
            if not self.trusts(found):
                return found
        return found


def parse_address(written: str) -> IPv4Address | IPv6Address | None:
    """Read an address, which may have a port or a zone; None if it is none.

    >>> [str(parse_address(one)) for one in ("192.0.2.1:80", "[2001:db8::1]:80", "::ffff:10.0.0.7")]
    ['192.0.2.1', '2001:db8::1', '10.0.0.7']
    """
    text = written.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _network(written: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(written.strip())
    except ValueError as error:
        raise ValueError(
            "--trusted-proxy must be an address or a network, such as 10.0.0.7 or 10.0.0.0/8, but "
            f"{written!r} is neither ({error})"
        ) from None
