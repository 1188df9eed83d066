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
    certify: Annotated[
        float | None,
        typer.Option(
            help="Say instead how many more random documents the certificate needs for this bound."
        ),
    ] = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Predict how many documents, hours and how much money it takes to reach a target.

    The plan needs no labels but the decisions so far: it draws the unknown labels from the
    calibrated probabilities.

    Example: satc plan claims.satc --target 0.95 --probability 0.9 --hours 8

    Example: satc plan claims.satc --certify 0.9
    """
    from satc.cli.results import write_picture
    from satc.cli.show import print_json, say

    if certify is not None:
        _plan_certificate(project, database, certify, as_json)
        return
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


def _plan_certificate(project: str, database: str | None, target: float, as_json: bool) -> None:
    """Print how many more random documents the bounds of the certificate need."""
    from satc.cli.show import print_json

    with open_store_of(project, database) as store:
        from satc.workbench.project.certificate_plan import plan_certificate
        from satc.workbench.project.history import read_history
        from satc.workbench.store.projects import get_project

        found = get_project(store, name_in(project, database))
        plans = plan_certificate(store, found, read_history(store, found), target)
    if as_json:
        print_json([one.as_dict() for one in plans])
        return
    for one in plans:
        typer.echo(str(one))
