"""How a store is served, and who is told what the server does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from satc.workbench.messages import Message
from satc.workbench.model.webhooks.networks import Network
from satc.workbench.web.access.company.settings import LoginSettings
from satc.workbench.web.listening import ServerError
from satc.workbench.web.proxy.settings import ProxySettings


@dataclass(frozen=True)
class ServerSettings:
    """How a store is served.

    Attributes
    ----------
    host, port
        Where to listen; port 0 takes a free one. Without users, `host` must be this machine.
    uds
        A Unix socket to listen on instead, for a proxy.
    proxy
        The path below which the server is served, and the proxies that it trusts.
    certificate, key
        Files for HTTPS.
    login
        How people log in; by passwords if it is not given.
    access_log
        A file or a stream for the log of requests.
    metrics
        Host and port where metrics are served without a login; port 0 takes a free one.
    networks
        Networks that webhooks may be sent to although they are not public.
    label_studio
        Whether projects answer Label Studio; "new" gives them new keys.
    """

    host: str
    port: int
    uds: Path | None = None
    proxy: ProxySettings = field(default_factory=ProxySettings)
    certificate: str | None = None
    key: str | None = None
    login: LoginSettings | None = None
    access_log: Path | IO[str] | None = None
    metrics: tuple[str, int] | None = None
    networks: Sequence[Network] = ()
    label_studio: bool | Literal["new"] = False

    def __post_init__(self) -> None:
        same = self.metrics is not None and self.metrics[1] == self.port
        if same and self.port and self.uds is None:
            raise ServerError(f"--metrics-port must differ from --port, but both are {self.port}")

    @property
    def scheme(self) -> str:
        """The scheme of addresses: http or https."""
        return "http" if self.certificate is None else "https"


@dataclass(frozen=True)
class Reports:
    """Functions that are called while a server starts.

    Attributes
    ----------
    ready
        With the address, once the server answers; without users it contains the secret key.
    metrics_ready
        With the address of the metrics, if they have a port of their own.
    label_studio_ready
        With the name of a project, and the address of its model for Label Studio.
    step
        With the name of a project and what is being done to open it.
    opened
        When all projects are open.
    """

    ready: Callable[[str], None] = lambda address: None
    metrics_ready: Callable[[str], None] = lambda address: None
    label_studio_ready: Callable[[str, str], None] = lambda name, address: None
    step: Callable[[str, Message], None] = lambda name, step: None
    opened: Callable[[], None] = lambda: None
