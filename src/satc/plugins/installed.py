"""The plugins that installed packages offer as entry points; nothing is imported for this."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from satc.errors import PluginWarning
from satc.plugins.kinds import Kind

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

_PREFIX = "satc."  # of our groups of entry points
_PART = re.compile(r"[a-z0-9]+")  # of a name: between two of its signs


class Plugin(NamedTuple):
    """A plugin that an installed package offers.

    Its text names it in messages: "learner 'rocchio' of the package 'satc-rocchio' 0.1".
    """

    kind: Kind
    name: str
    package: str
    version: str
    entry: EntryPoint

    def __str__(self) -> str:
        return f"{self.kind.word} {self.name!r} of the package {self.package!r} {self.version}"

    @property
    def name_error(self) -> str | None:
        """What is wrong with the name; None if nothing is."""
        parts = self.name.replace(".", "-").split("-")
        if all(map(_PART.fullmatch, parts)) and self.name[0].isalpha():
            return None
        return "must have a name of lower-case letters, digits, '-' and '.', but has not"


def installed(kind: Kind) -> list[Plugin]:
    """Return the plugins of a kind that installed packages offer, sorted by name and package."""
    found: dict[tuple[str, str], Plugin] = {}
    for distribution, entries in _offers():
        for entry in entries:
            if entry.group == kind.group:
                version = distribution.version or "without a version"
                plugin = Plugin(kind, entry.name, distribution.name, version, entry)
                found.setdefault((entry.name, distribution.name), plugin)  # first on the path
    return sorted(found.values(), key=lambda one: (one.name, one.package))


def _offers() -> Iterator[tuple[Distribution, list[EntryPoint]]]:
    """Yield the packages that may offer plugins, with all their entry points."""
    from importlib.metadata import distributions  # takes longer to import than all of `satc`

    for distribution in distributions():
        if _PREFIX not in (distribution.read_text("entry_points.txt") or ""):
            continue
        try:
            entries = list(distribution.entry_points)
        except (TypeError, ValueError) as error:  # a line that is not an entry point
            warnings.warn(
                f"the plugins of the package {distribution.name!r} are left out: its entry points "
                f"cannot be read ({error})",
                PluginWarning,
                stacklevel=2,
            )
            continue
        yield distribution, entries
