"""A server with its database on its own disk: it can be killed, filled and set to another time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from postgresql import Cluster
from projects_made import Made, make_project
from serving import Site

DISK = 256 << 20
_MOVED_CLOCK = Path(__file__).with_name("moved_clock.py")


@contextmanager
def small_disk(size: int = DISK) -> Iterator[Path]:
    """Mount a disk of this many bytes, which only root can do, where every user can reach it."""
    folder = Path(tempfile.mkdtemp(prefix="satc-disk-", dir="/tmp"))
    folder.chmod(0o755)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    subprocess.run(mount, check=True, capture_output=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


class Clock:
    """The clock of a server; a file says by how many seconds it is ahead."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self._file.write_text("0")
        self.program = (str(_MOVED_CLOCK), str(self._file))

    def move(self, hours: float) -> None:
        """Set the clock to this many hours from the true time."""
        changed = self._file.with_suffix(".new")
        changed.write_text(f"{hours * 3600:.0f}")
        changed.replace(self._file)


class Machine:
    """A served project; subclasses say where it is stored."""

    location: str
    disk: Path

    def __init__(self, made: Made, folder: Path, **settings: float) -> None:
        self.folder = folder
        self.clock = Clock(folder)
        make_project(made, self.location, **settings)

    def start(self) -> None:
        self.site = Site(*self.served(), program=self.clock.program)

    def served(self) -> tuple[str, ...]:
        raise NotImplementedError

    def kill_server(self) -> None:
        self.site.kill()
        self.site.start()

    def kill_database(self) -> None:
        """Kill the database, if it is a process of its own."""

    def fill_disk(self, seconds: float) -> None:
        """Leave no space for a while."""
        ballast = self.disk / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            for size in (1 << 20, 1 << 12, 1):
                with suppress(OSError):
                    while file.write(b"x" * size):
                        pass
        time.sleep(seconds)
        ballast.unlink()

    def back_up(self, output: Path) -> None:
        """Run `satc backup` beside the server."""
        command = [sys.executable, "-m", "satc", "backup", *self.arguments(), "-o", str(output)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def arguments(self) -> list[str]:
        raise NotImplementedError


class SqliteMachine(Machine):
    """A project in a file."""

    def __init__(self, made: Made, folder: Path, disk: Path, **settings: float) -> None:
        self.disk = disk
        self.location = str(disk / "made.satc")
        super().__init__(made, folder, **settings)

    def served(self) -> tuple[str, ...]:
        return (self.location,)

    def arguments(self) -> list[str]:
        return [self.location]


class PostgresqlMachine(Machine):
    """A project in a PostgreSQL server, which waits for the disk as it does by default."""

    def __init__(self, made: Made, folder: Path, disk: Path, **settings: float) -> None:
        self.disk = disk
        self.cluster = DiskCluster(disk)
        self.location = self.cluster.new_database()
        super().__init__(made, folder, **settings)

    def served(self) -> tuple[str, ...]:
        return ("made", self.location)

    def arguments(self) -> list[str]:
        return ["made", "--database", self.location]

    def kill_database(self) -> None:
        self.cluster.kill()
        self.cluster.start()

    def fill_disk(self, seconds: float) -> None:
        super().fill_disk(seconds)
        self.cluster.revive()


class DiskCluster(Cluster):
    """PostgreSQL on a given disk."""

    def __init__(self, disk: Path) -> None:
        self._disk = disk
        super().__init__(durable=True)

    def new_folder(self) -> Path:
        folder = self._disk / "postgresql"
        folder.mkdir()
        return folder

    def kill(self) -> None:
        """Kill all processes of the server, as a power cut would."""
        pid = int(Path(self.data, "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for process in (pid, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(process, 9)
        while any(Path(f"/proc/{process}").exists() for process in (pid, *children)):
            time.sleep(0.02)
        Path(self.data, "postmaster.pid").unlink(missing_ok=True)

    def revive(self) -> None:
        """Start the server if it has ended, as it does where it cannot write its log."""
        status = [str(self.bin() / "pg_ctl"), "-D", self.data, "status"]
        if os.geteuid() == 0:
            status = ["runuser", "-u", "postgres", "--", *status]
        if subprocess.run(status, capture_output=True, cwd="/").returncode:
            self.start()
