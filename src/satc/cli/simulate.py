"""`satc simulate`: compare ranking methods on documents whose true labels are known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from satc.cli import options
from satc.cli.option_checks import (
    check_excel,
    check_picture,
    check_trained,
    checked,
    is_given,
    refuse,
    say_prior_shift,
    without_training,
)
from satc.cli.option_groups import with_groups
from satc.cli.prediction_options import PredictionOptions
from satc.cli.simulated_options import SimulatedOptions
from satc.cli.simulated_predictions import read_simulated_predictions
from satc.cli.simulated_scores import read_simulated_scores
from satc.workbench.model.settings import Settings

if TYPE_CHECKING:
    from satc.simulation import Simulation

DEFAULT_METHODS = ["contextual", "u-theoretic", "baseline", "oracle2", "random"]


class Case(NamedTuple):
    """A method, and how labels are decided on."""

    method: str
    decide: str

    def name(self, several: bool) -> str:
        """Return the name of a curve; with several ways to decide, it says which."""
        return f"{self.method}, {self.decide}" if several else self.method


@with_groups
def simulate(
    context: typer.Context,
    *,
    given: SimulatedOptions,
    method: options.Methods = DEFAULT_METHODS,
    decide: options.Decisions = ["sign"],  # noqa: B006
    prior_shift: options.PriorShift = Settings.prior_shift,
    class_wise: Annotated[
        bool, typer.Option(help="Average the reductions of the classes (macro only).")
    ] = False,
    figures: options.FigureOptions,
    seed: options.Seed = Settings.seed,
    output: options.Output = None,
    excel: options.Excel = False,
    curves: Annotated[
        Path | None,
        typer.Option(help="Write the curves: CSV, TSV, XLSX, JSON, JSONL or Parquet file."),
    ] = None,
    plot: options.Plot = None,
    plot_value: Annotated[
        Path | None,
        typer.Option(
            help="Draw the measure against the documents: .svg, .png or .html.",
            callback=checked(check_picture),
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Simulate validation in the order of each method, with the true labels, and compare.

    It prints the measure before anyone reads a document, how many documents must be checked until
    it reaches each target, and the expected normalised error reduction (ENER) for each expected
    fraction xi. Error reduction is counted against the classifier's own error. If every document
    has exactly one label, a simulated person corrects one label to another.

    Example: satc simulate --scores test.npy --labels test.npz --oof-scores oof.npy
    --train-labels train.npz --decide sign --decide measure --plot-value value.svg

    Example: satc simulate --predictions predicted.jsonl --known gold.csv --labels truth.csv

    Example: satc simulate --scores test.parquet --labels truth.csv --oof-scores oof.parquet
    --train-labels train.csv --opinion llm=labels.csv --method contextual --decide measure

    Example: satc simulate --scores test.npy --labels test.npz --oof-scores oof.npy
    --train-labels train.npz --method u-theoretic --method baseline --plot curve.svg
    """
    from satc.cli.progress import track
    from satc.cli.results import write_columns
    from satc.measures import display_name
    from satc.simulation import simulate as run

    if output is not None:
        refuse(context, ["as_json"], "prints: leave --output out, or name a .json file")
    check_excel(excel, output)
    if given.predictions is None:
        refuse(context, ["kind", "threshold", "known", "classes"], "needs --predictions")
        files, truth, found = read_simulated_scores(given)
    else:
        refuse(context, ["scores"], "must not be given together with --predictions")
        files, truth, found = read_simulated_predictions(given)
    measured = {"measure": figures.measure, "average": figures.average}
    chosen: dict[str, Any] = {**measured, "random_state": seed, "task": found}
    chosen["prior_shift"] = prior_shift
    method = _methods(context, method, files.is_trained, given)
    say_prior_shift(prior_shift, method, decide, trained=files.is_trained)
    cases = [Case(name, how) for how in decide for name in method]
    simulations = {
        one: run(
            files.scores, truth, **files.training, method=one.method, decide=one.decide, **chosen
        )
        for one in track(cases, "simulating")
    }
    rows = [
        {
            "method": one.method,
            "labels": one.decide,
            "start": round(float(sim.value[0]), 6),
            **{f"until {value:g}": sim.documents_for(value) for value in figures.target},
            **{f"ENER({x:g})": round(sim.ener(x, class_wise=class_wise), 6) for x in figures.xi},
        }
        for one, sim in simulations.items()
    ]
    if curves is not None:
        write_columns(curves, _curves(simulations))
    _draw(plot, plot_value, simulations, display_name(**measured, task=found))
    _write_rows(rows, output, as_json, excel)


def _methods(
    context: typer.Context, methods: list[str], trained: bool, predicted: PredictionOptions
) -> list[str]:
    """Return the methods that can run; say which of the default are left out, refuse others."""
    from satc.cli.show import say

    runnable, others = without_training(methods)
    if trained or not others:
        return methods
    if is_given(context, "method"):
        check_trained(others[0], trained, predictions=predicted.predictions is not None)
    say(f"no training documents are known, so without the methods {', '.join(others)}")
    return runnable


def _write_rows(
    rows: list[dict[str, Any]], output: Path | None, as_json: bool, excel: bool
) -> None:
    from satc.cli.results import write_columns
    from satc.cli.show import print_json, print_rows

    if output is not None:
        columns = {key: [row[key] for row in rows] for key in rows[0]}
        write_columns(output, columns, excel=excel)
    elif as_json:
        print_json(rows)
    else:
        print_rows(rows)


def _draw(
    plot: Path | None, plot_value: Path | None, simulations: Mapping[Case, Simulation], measure: str
) -> None:
    """Draw the pictures that were asked for."""
    from satc.cli.results import write_picture
    from satc.evaluation.plot import error_reduction_chart
    from satc.evaluation.value_plot import value_chart

    several = len({one.decide for one in simulations}) > 1
    named = {one.name(several): sim for one, sim in simulations.items()}
    if plot is not None:
        reductions = {name: sim.error_reduction for name, sim in named.items()}
        write_picture(plot, error_reduction_chart(reductions, title=f"Error reduction, {measure}"))
    if plot_value is not None:
        values = {name: sim.value for name, sim in named.items()}
        write_picture(plot_value, value_chart(values, measure))


def _curves(simulations: Mapping[Case, Simulation]) -> dict[str, list[Any]]:
    names = ("method", "labels", "validated", "error_reduction", "value")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for (method, decide), sim in simulations.items():
        n = len(sim.value)
        columns["method"] += [method] * n
        columns["labels"] += [decide] * n
        columns["validated"] += range(n)
        columns["error_reduction"] += sim.error_reduction.tolist()
        columns["value"] += sim.value.tolist()
    return columns
