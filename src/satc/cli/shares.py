"""`satc shares`: the share of each class in all documents, with a confidence interval."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of

if TYPE_CHECKING:
    from satc.workbench.reports.shares import ProjectShares


def shares(
    project: ProjectArgument,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Shares within each value of a column of the documents."
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence of each interval.")] = 0.95,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Table to write; the ending decides the format."),
    ] = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Estimate the share of each class in all documents, for publication.

    The predictions give the estimate, the audited documents correct it and give the interval.
    'satc create --audit 10%' mixes the audit into the work.

    Example: satc shares claims.satc --by year -o shares.csv
    """
    if not 0.0 < level < 1.0:
        raise typer.BadParameter(f"--level must be between 0 and 1, such as 0.95, but is {level}")
    with open_store_of(project, database) as store:
        from satc.workbench.project.verification.checked import read_checked
        from satc.workbench.reports.shares import project_shares

        stored, history = read_checked(store, name_in(project, database))
        found = project_shares(store, stored, history, by=by, level=level)
    if output is not None:
        _write(output, found)
    _print(found, as_json, quiet=output is not None)


def _write(output: Path, found: ProjectShares) -> None:
    from satc.cli.results import write_columns
    from satc.files.values import jsonable

    rows = [jsonable(row) for row in found.rows()]  # an interval that is not known is an empty cell
    write_columns(output, {name: [row[name] for row in rows] for name in rows[0]})


def _print(found: ProjectShares, as_json: bool, quiet: bool) -> None:
    from satc.cli.show import print_json, print_rows, say

    if as_json:
        print_json(found.as_dict())
    elif quiet:
        say(found.note())
    else:
        print_rows(_shown(row) for row in found.rows())
        typer.echo(found.note())


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for the screen: shares in percent, the estimated number as a whole one."""
    shown: dict[str, Any] = {name: row[name] for name in ("group", "class", "name") if name in row}
    shown |= {name: _percent(row[name]) for name in ("share", "low", "high")}
    shown["count"] = round(row["count"])
    shown["classifier"] = _percent(row["classifier"])
    return shown | {name: row[name] for name in ("validated", "audited")}


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2%}"
