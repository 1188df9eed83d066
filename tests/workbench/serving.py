"""A real server in a separate process, which a test can call, kill and restart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import httpx


class Site:
    """A served project.

    `url` is its address. Without users, `enter_url` is the link of the single user, and `key` the
    token in it. `program` are the arguments of Python that start satc, and `options` are further
    options of `satc serve`.
    """

    program: tuple[str, ...] = ("-m", "satc")

    def __init__(
        self,
        project: Path | str,
        database: str | None = None,
        port: int = 0,
        program: tuple[str, ...] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self.arguments = [str(project), *(["--database", database] if database else []), *options]
        self.name = Path(project).stem if database is None else str(project)
        self.port = port
        self.program = program or self.program
        self.clients: list[httpx.Client] = []
        self.start()

    def start(self) -> None:
        command = [sys.executable, *self.program, "serve", *self.arguments]
        command += ["--port", str(self.port)]
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `_let_go`)
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        line = self.process.stdout.readline()
        if "The workbench is at" not in line:
            self._fail()
        opened = self.process.stdout.readline()
        if "open" not in opened:
            self._fail()
        self.enter_url = line.split()[-1]
        self.url = self.enter_url.partition("/enter")[0].rstrip("/")
        self.key = self.enter_url.partition("key=")[2]
        self.port = int(self.url.split(":")[2].partition("/")[0]) if "://" in self.url else 0

    def _fail(self) -> None:
        self.process.wait(timeout=30)
        self.errors.seek(0)
        message = self.errors.read().decode()
        self._let_go()
        raise RuntimeError(message)

    def kill(self) -> None:
        """Kill the process."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=30)
        self._let_go()

    def stop(self) -> None:
        """Send the signal of Ctrl-C, and wait for the end."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=30)
            self._let_go()
        except subprocess.TimeoutExpired:
            self.kill()
        for client in self.clients:
            client.close()

    def _let_go(self) -> None:
        self.process.stdout.close()
        self.errors.close()

    def client(self, token: str | None = None) -> httpx.Client:
        """Return an HTTP client that sends a token."""
        headers = {"Authorization": f"Bearer {token or self.key}"}
        client = httpx.Client(
            base_url=f"{self.url}/api/v1/projects/{self.name}", headers=headers, timeout=60
        )
        self.clients.append(client)
        return client

    def wait_until(self, ready, seconds=30.0):
        """Call `ready` until its result is true, and return the result."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := ready():
                return found
            time.sleep(0.05)
        raise TimeoutError(f"ready() must be true within {seconds} s, but is not")
