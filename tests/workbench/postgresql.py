"""Start Debian's PostgreSQL in a new folder, on a free port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import uuid
from pathlib import Path

_ROOM = 4 << 30  # bytes: a database takes about 10 MB, and there are two workers


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _new_folder(durable: bool) -> Path:
    """Make a folder; in memory, which is faster, if nothing must be durable and there is room."""
    memory = Path("/dev/shm")  # noqa: S108
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > _ROOM
    parent = memory if roomy and not durable else Path("/tmp")  # noqa: S108
    folder = parent / f"satc-postgresql-{uuid.uuid4().hex[:12]}"
    folder.mkdir()
    return folder


class Cluster:
    """A PostgreSQL server with its data in a new folder.

    Parameters
    ----------
    durable
        Whether committed data must survive a power cut. If not, nothing waits for the disk; a
        server that is killed still loses nothing.
    """

    def __init__(self, *, durable: bool = True) -> None:
        self.durable = durable
        self.folder = self.new_folder()
        self.port = _free_port()
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(self.folder, "postgres", "postgres")
        self._run("initdb", "-D", self.data, "-U", "satc", "--auth=trust", "-E", "UTF8", "-N")
        self.start()

    def new_folder(self) -> Path:
        """Make the folder of the server."""
        return _new_folder(self.durable)

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
        if not self.durable:
            options += " -c fsync=off -c full_page_writes=off"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self.data, "-o", options, "-l", log, "-w", "start")

    def stop(self) -> None:
        self.halt()
        shutil.rmtree(self.folder, ignore_errors=True)

    def halt(self) -> None:
        """Stop the server at once; its data stays."""
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
