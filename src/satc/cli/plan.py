"""`satc plan`: how much work is left, and what some hours of work bring."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of
from satc.workbench.model.settings import PROBABILITY, TARGET


def plan(
    project: ProjectArgument,
    target: Annotated[float, typer.Option(help="Value that the measure must reach.")] = TARGET,
    probability: Annotated[float, typer.Option(help="Probability of reaching it.")] = PROBABILITY,
    hours: Annotated[
        list[float] | None,
        typer.Option(help="Also predict what this many hours buy; repeat for several."),
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Minutes per document; else the average so far.", min=0)
    ] = None,
    price: Annotated[
        float | None, typer.Option(help="Price of an hour of work; else the project's.", min=0)
    ] = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Predict how many documents, hours and how much money it takes to reach a target.

    The plan needs no labels but the decisions so far: it draws the unknown labels from the
    calibrated probabilities.

    Example: satc plan claims.satc --target 0.95 --probability 0.9 --hours 8
    """
    from satc.cli.results import write_picture
    from satc.cli.show import print_json, say

    with open_store_of(project, database) as store:
        from satc.workbench.reports.plan import plan_project

        say("calibrating")
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
