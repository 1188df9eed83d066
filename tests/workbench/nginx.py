"""Start Debian's nginx with the configuration of `deploy/`, in front of a local server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from needs import absent

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"
PREFIX = "/tools/satc"
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Ports(NamedTuple):
    """The ports of nginx: with TLS, and without."""

    tls: int
    plain: int


@cache
def program() -> str:
    """Return the path of nginx; Debian puts it where only root looks."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    return found or absent("no nginx: install Debian's package nginx-light")


@cache
def _certificate() -> tuple[str, str]:
    """Make a certificate of 127.0.0.1, once; return it and its key."""
    with TemporaryDirectory() as folder:
        files = [str(Path(folder) / name) for name in ("cert.pem", "key.pem")]
        options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        options += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        command = ["openssl", "req", "-x509", *options, "-out", files[0], "-keyout", files[1]]
        subprocess.run(command, check=True, capture_output=True)
        return Path(files[0]).read_text(), Path(files[1]).read_text()


def _free_ports() -> Ports:
    with socket.socket() as first, socket.socket() as second:
        for probe in (first, second):
            probe.bind(("127.0.0.1", 0))
        return Ports(first.getsockname()[1], second.getsockname()[1])


def write(folder: Path, upstream: str, ports: Ports, changes: dict[str, str]) -> Path:
    """Write the configuration of `deploy/` with other addresses and folders; return its path."""
    for name, text in zip(("cert.pem", "key.pem"), _certificate(), strict=True):
        (folder / name).write_text(text)
    temporary = "".join(f"{name}_temp_path {folder}/{name};" for name in _TEMPORARY)
    changed = {
        "worker_processes auto;": "worker_processes 1; daemon off;",
        "pid /run/nginx.pid;": f"pid {folder}/nginx.pid;",
        "http {": f"http {{ {temporary}",
        "/etc/nginx/tls": str(folder),
        "/dev/stdout": f"{folder}/access.log",
        "/dev/stderr": f"{folder}/error.log",
        "server satc:8765;": f"server {upstream};",
        "listen 80;": f"listen 127.0.0.1:{ports.plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{ports.tls} ssl;",
        **changes,
    }
    text = CONFIGURATION.read_text(encoding="utf-8")
    for old, new in changed.items():
        assert text.count(old) > 0, f"{old!r} must be in {CONFIGURATION.name}, but is not"
        text = text.replace(old, new)
    user = "user root;\n" if os.geteuid() == 0 else ""
    path = folder / "nginx.conf"
    path.write_text(user + text, encoding="utf-8")
    return path


@contextmanager
def in_front_of(
    upstream: str, folder: Path, changes: dict[str, str] | None = None
) -> Iterator[str]:
    """Run nginx in front of `upstream`; give the address below which it serves it.

    `changes` are further parts of the configuration that are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ports = _free_ports()
    path = write(folder, upstream, ports, changes or {})
    command = [program(), "-p", str(folder), "-c", str(path), "-e", str(folder / "error.log")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(process, ports.tls, folder)
        yield f"https://127.0.0.1:{ports.tls}{PREFIX}"
    finally:
        process.terminate()
        process.wait(timeout=10)


def _wait(process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    """Wait until nginx answers."""
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.02)
    raise RuntimeError((folder / "error.log").read_text(encoding="utf-8"))
