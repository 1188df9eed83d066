"""LibreOffice without a window: it converts files, many at one start."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


class Office:
    """LibreOffice with a profile of its own in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._profile = folder / "profile"

    @staticmethod
    def is_installed() -> bool:
        """Whether the program is there."""
        return shutil.which("soffice") is not None

    def convert(self, files: list[Path], form: str, folder: Path) -> list[Path]:
        """Convert files to a format; a complaint of the program is an error."""
        command = ["soffice", "--headless", f"-env:UserInstallation={self._profile.as_uri()}"]
        command += ["--convert-to", form, "--outdir", str(folder), *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        made = [folder / f"{file.stem}.{form.partition(':')[0]}" for file in files]
        said = [line for line in done.stderr.splitlines() if "javaldx" not in line]  # no Java
        said += [line for line in done.stdout.splitlines() if not line.startswith("convert ")]
        if said or done.returncode or not all(file.is_file() for file in made):
            raise AssertionError(f"{done.returncode}: {done.stdout}{done.stderr}")
        return made
