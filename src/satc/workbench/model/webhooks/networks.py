"""Which IP addresses a webhook may be sent to.

Only public addresses are allowed, and the networks that the administrator of the server names. Not
public are this machine (loopback), private networks, link-local addresses, addresses shared behind
a provider (CGNAT), multicast, and everything reserved. An IPv6 address that stands for an IPv4
address (mapped, 6to4, Teredo, NAT64) is as public as that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
EVERYWHERE: tuple[Network, ...] = (IPv4Network("0.0.0.0/0"), IPv6Network("::/0"))
_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))


def parse_network(text: str) -> Network:
    """Return a network as an administrator writes it.

    >>> parse_network("10.1.0.0/16"), parse_network("127.0.0.1")
    (IPv4Network('10.1.0.0/16'), IPv4Network('127.0.0.1/32'))
    """
    try:
        return ip_network(text)
    except ValueError as error:
        raise ValueError(
            f"a network must be written like 10.1.0.0/16 or fd00::/8, but is {text!r}: {error}"
        ) from error


def allowed_networks(everywhere: bool, networks: Sequence[str]) -> tuple[Network, ...]:
    """Return the networks that an administrator allows; `everywhere` allows every address."""
    return EVERYWHERE if everywhere else tuple(map(parse_network, networks))


def may_send_to(address: str, allowed: Sequence[Network] = ()) -> bool:
    """Whether an IP address is public, or in a network that is allowed.

    >>> may_send_to("93.184.215.14"), may_send_to("127.0.0.1"), may_send_to("::ffff:10.0.0.1")
    (True, False, False)
    >>> may_send_to("10.1.2.3", [parse_network("10.1.0.0/16")])
    True
    """
    meant = _embedded(ip_address(address))
    if any(meant in network for network in allowed):
        return True
    if isinstance(meant, IPv6Address) and (meant.is_site_local or meant in _NAT64[1]):
        return False
    return meant.is_global and not meant.is_multicast and not meant.is_reserved


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64[0]:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = None if address.teredo is None else address.teredo[1]
    return address.ipv4_mapped or address.sixtofour or teredo or address
