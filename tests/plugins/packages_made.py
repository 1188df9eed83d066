"""Installed packages for tests: a module and its metadata in a folder of the search path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent


def install(
    folder: Path, package: str, entry_points: Mapping[str, str] | str, module: str = ""
) -> None:
    """Install a package as pip does: ``{"satc.learners: name": "module:object"}``."""
    info = folder / f"{package.replace('-', '_')}-0.1.dist-info"
    info.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    lines = entry_points if isinstance(entry_points, str) else _lines(entry_points)
    (info / "entry_points.txt").write_text(lines, encoding="utf-8")
    if module:
        name = package.replace("-", "_")
        (folder / f"{name}.py").write_text(dedent(module), encoding="utf-8")


def _lines(entry_points: Mapping[str, str]) -> str:
    parts = []
    for place, value in entry_points.items():
        group, _, name = place.partition(": ")
        parts.append(f"[{group}]\n{name} = {value}\n")
    return "\n".join(parts)
