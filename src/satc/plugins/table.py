"""`PluginTable`: the plugins of one kind by name, loaded and checked when they are first used."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from satc.errors import PluginError, PluginWarning
from satc.plugins.installed import Plugin, installed
from satc.plugins.kinds import Kind

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class PluginTable(Generic[T]):
    """The plugins of one kind.

    Attributes
    ----------
    kind
        The kind.
    built_in
        Returns the names that satc has itself, which no plugin can replace.
    adapt
        Checks a loaded object, and returns it in the form that satc uses. It raises a ValueError
        that says what must hold and what came.
    """

    kind: Kind
    built_in: Callable[[], Collection[str]]
    adapt: Callable[[Plugin, Any], T]
    _loaded: dict[str, T] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the names of the plugins that can be asked for; they are not loaded."""
        offers = installed(self.kind)
        names = {one.name for one in offers if self._refusal(one, offers) is None}
        return sorted(names)

    def find(self, name: str) -> T | None:
        """Return the plugin of this name, loaded and checked; None if no package offers it.

        Raises
        ------
        PluginError
            If the plugin cannot be used.
        """
        if name in self._loaded:
            return self._loaded[name]
        offers = installed(self.kind)
        for plugin in offers:
            if plugin.name == name:
                return self._load(plugin, offers)
        return None

    def offer(self, name: str) -> Plugin | None:
        """Return where a plugin comes from; None if satc has the name itself, or nobody has."""
        offers = [] if name in self.built_in() else installed(self.kind)
        return next((one for one in offers if one.name == name), None)

    def choice(self, name: Any, built_in: Mapping[str, T]) -> T:
        """Return what satc has itself, or else a plugin; the error lists all names."""
        found = None
        if isinstance(name, str):
            found = built_in[name] if name in built_in else self.find(name)
        if found is None:
            known = ", ".join(map(repr, (*built_in, *self.names())))
            raise ValueError(f"{self.kind.word} must be one of {known}, but is {name!r}")
        return found

    def all(self) -> dict[str, T]:
        """Load all plugins; a warning names each one that cannot be used."""
        found = {}
        for plugin, problem in self.problems():
            if problem is None:
                found[plugin.name] = self._loaded[plugin.name]
            else:
                warnings.warn(problem, PluginWarning, stacklevel=2)
        return found

    def problems(self) -> list[tuple[Plugin, str | None]]:
        """Load all plugins; return each with what is wrong with it, None if nothing is."""
        offers = installed(self.kind)
        return [(one, self._problem(one, offers)) for one in offers]

    def warn_if_taken(self, name: str) -> None:
        """Warn if a package offers a plugin with a name that satc has itself."""
        if name in self.built_in():
            for plugin in installed(self.kind):
                if plugin.name == name:
                    warnings.warn(f"{plugin} {self._taken(name)}", PluginWarning, stacklevel=2)

    def _problem(self, plugin: Plugin, offers: list[Plugin]) -> str | None:
        try:
            self._load(plugin, offers)
        except PluginError as error:
            return str(error)
        return None

    def _load(self, plugin: Plugin, offers: list[Plugin]) -> T:
        if (refusal := self._refusal(plugin, offers)) is not None:
            raise PluginError(f"{plugin} {refusal}")
        if plugin.name not in self._loaded:
            self._loaded[plugin.name] = self._adapted(plugin, _imported(plugin))
        return self._loaded[plugin.name]

    def _adapted(self, plugin: Plugin, value: Any) -> T:
        try:
            return self.adapt(plugin, value)
        except PluginError:
            raise
        except (Exception, SystemExit) as error:  # the code of the package may raise any error
            what = str(error) if isinstance(error, ValueError) else described(error)
            raise PluginError(f"{plugin} cannot be used: {what}") from error

    def _refusal(self, plugin: Plugin, offers: list[Plugin]) -> str | None:
        """Return why a plugin cannot be loaded; None if it can."""
        if plugin.name in self.built_in():
            return self._taken(plugin.name)
        if plugin.name_error is not None:
            return plugin.name_error
        others = [one for one in offers if one.name == plugin.name and one is not plugin]
        if others:
            return f"is refused, because the package {others[0].package!r} offers this name, too"
        return None

    def _taken(self, name: str) -> str:
        return (
            f"is refused, because satc itself has a {self.kind.word} {name!r}: the package must "
            "choose another name"
        )


def _imported(plugin: Plugin) -> Any:
    """Import the object that the entry point of a plugin names."""
    try:
        return plugin.entry.load()
    except (Exception, SystemExit) as error:  # the code of the package may raise any error
        raise PluginError(f"{plugin} cannot be loaded: {described(error)}") from error


def described(error: BaseException) -> str:
    """Return an error of a plugin on one line.

    >>> described(KeyError("colour"))
    "KeyError: 'colour'"
    """
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")
