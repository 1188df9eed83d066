"""How a server stands behind proxies."""

from __future__ import annotations

from dataclasses import dataclass, field

from satc.workbench.web.proxy.trusted import TrustedProxies


@dataclass(frozen=True)
class ProxySettings:
    """The settings of a server behind proxies; the defaults are those of a server without one.

    Attributes
    ----------
    root_path
        The path below which the server is served, such as `/tools/satc`. Without it, a trusted
        proxy can name one (`X-Forwarded-Prefix`).
    trusted
        The proxies that may say who sent a request, by which scheme, and to which host.
    """

    root_path: str = ""
    trusted: TrustedProxies = field(default_factory=TrustedProxies)
