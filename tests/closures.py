"""The distributions that an extra needs, and a folder that holds only those."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def requirements(*extras: str) -> list[str]:
    """Return the requirements of the project with these extras."""
    return [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]


def closure(wanted: Iterable[str]) -> dict[str, Distribution]:
    """Return all installed distributions that the requirements need, by name."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    left = [(Requirement(line), "") for line in wanted]
    while left:
        requirement, extra = left.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        if name == "satc":
            left += [(Requirement(r), "") for one in requirement.extras for r in EXTRAS[one]]
            continue
        found.setdefault(name, distribution(name))
        for part in {"", *requirement.extras}:
            if (name, part) not in seen:
                seen.add((name, part))
                left += [(Requirement(line), part) for line in found[name].requires or ()]
    return found


def link(distributions: Iterable[Distribution], folder: Path) -> Path:
    """Make a folder with links to these distributions and to no others."""
    folder.mkdir(parents=True)
    for one in distributions:
        for source in _tops(one):
            target = folder / source.name
            if not target.exists():
                target.symlink_to(source)
            elif target.resolve() != source.resolve():
                raise FileExistsError(f"two distributions have {source.name}")
    return folder


def _tops(one: Distribution) -> Iterator[Path]:
    base = Path(str(one.locate_file("")))
    names = {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}
    return (base / name for name in sorted(names))
