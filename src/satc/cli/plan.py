"""`satc plan`: how much work is left, and what some hours buy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, opened


def plan(
    project: ProjectArgument,
    target: Annotated[float, typer.Option(help="What the measure is to reach.")] = 0.95,
    probability: Annotated[float, typer.Option(help="How surely.")] = 0.9,
    hours: Annotated[
        list[float] | None, typer.Option(help="Also say what so many hours buy; repeat.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Minutes per document; else the pace so far.", min=0)
    ] = None,
    price: Annotated[
        float | None, typer.Option(help="Price of an hour; else that of the project.", min=0)
    ] = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Say how many documents, hours and how much money it takes to reach a target.

    It needs no labels beyond those decided so far: the unknown ones are drawn from the calibrated
    probabilities.

    Example: satc plan claims.satc --target 0.95 --probability 0.9 --hours 8
    """
    from satc.cli.show import complain, print_json, write_picture

    with opened(project, database) as store:
        from satc.workbench.reports.plan import plan_project

        complain("calibrating")
        found = plan_project(
            store,
            name_in(project, database),
            target,
            probability,
            hours=hours or [],
            minutes=minutes,
            price=price,
        )
    if plot is not None:
        from satc.evaluation.forecast_plot import forecast_chart

        course = zip(*found.ahead, strict=True)
        chart = forecast_chart(*course, observed=found.observed, target=target, title=found.title)
        write_picture(Path(plot), chart)
    if as_json:
        print_json(found.as_dict())
    else:
        for line in found.lines():
            typer.echo(line)
