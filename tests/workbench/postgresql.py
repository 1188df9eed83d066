"""Start Debian's PostgreSQL in a folder of its own, on a port of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import uuid
from pathlib import Path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """A PostgreSQL server with its data in a folder."""

    def __init__(self, folder: Path) -> None:
        # The server refuses to run as root, so the folder goes to its own account.
        self.folder = Path("/tmp") / f"satc-postgresql-{uuid.uuid4().hex[:12]}"  # noqa: S108
        self.port = _free_port()
        self.folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self._run("initdb", "-D", self.data, "-U", "satc", "--auth=trust", "-E", "UTF8", "-N")
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    @staticmethod
    def bin() -> Path | None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        return found[-1].parent if found else None

    @classmethod
    def is_installed(cls) -> bool:
        return cls.bin() is not None

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder}"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self.data, "-o", options, "-l", log, "-w", "start")

    def stop(self) -> None:
        self.halt()
        shutil.rmtree(self.folder, ignore_errors=True)

    def halt(self) -> None:
        """Take the server away, its data stays."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)

    def new_database(self) -> str:
        name = f"satc_{uuid.uuid4().hex[:12]}"
        host = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "satc"]
        self._run("createdb", *host, name)
        return f"postgresql://satc@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        command = [str(self.bin() / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=check, capture_output=True, cwd="/")
