"""`satc plugins`: the plugins of installed packages, and whether they can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from satc.cli import options

if TYPE_CHECKING:
    from satc.plugins.table import PluginTable


def plugins(as_json: options.AsJson = False) -> None:
    """List the learners, measures, methods and formats of installed packages, and check them.

    Each plugin is loaded. If one cannot be used, a line says why, and the exit code is 1.

    Example: satc plugins
    """
    from satc.cli.show import print_json, print_rows, say, say_error

    found = [one for table in _tables() for one in table.problems()]
    rows = [
        {
            "kind": plugin.kind.word,
            "name": plugin.name,
            "package": plugin.package,
            "version": plugin.version,
            "usable": "yes" if problem is None else "no",
        }
        for plugin, problem in found
    ]
    problems = [problem for _, problem in found if problem is not None]
    if as_json:
        reasons = [{"problem": problem} for _, problem in found]
        print_json([row | reason for row, reason in zip(rows, reasons, strict=True)])
    elif rows:
        print_rows(rows)
    else:
        say("no installed package offers a plugin")
    for problem in problems:
        say_error(problem)
    if problems:
        raise typer.Exit(1)


def _tables() -> tuple[PluginTable[Any], ...]:
    from satc.files.exchange import PLUGINS as FORMATS
    from satc.learners.presets import PLUGINS as LEARNERS
    from satc.measures import PLUGINS as MEASURES
    from satc.ranking.methods import PLUGINS as METHODS

    return LEARNERS, MEASURES, METHODS, FORMATS
