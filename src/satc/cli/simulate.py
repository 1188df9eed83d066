"""`satc simulate`: compare ranking methods on documents whose true labels are known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satc.cli import options
from satc.cli.option_checks import refuse
from satc.workbench.model.settings import Settings

if TYPE_CHECKING:
    from satc.simulation import Simulation

DEFAULT_METHODS = ["contextual", "u-theoretic", "baseline", "oracle2", "random"]


def simulate(
    context: typer.Context,
    scores: options.ScoresFile = None,
    labels: options.LabelsFile = None,
    oof_scores: options.OofScoresFile = None,
    train_labels: options.TrainLabelsFile = None,
    method: options.Methods = DEFAULT_METHODS,
    measure: options.Measure = Settings.measure,
    average: options.Average = Settings.average,
    xi: options.Xi = [0.05, 0.10, 0.20],  # noqa: B006
    class_wise: Annotated[
        bool, typer.Option(help="Average the reductions of the classes (macro only).")
    ] = False,
    seed: options.Seed = Settings.seed,
    output: options.Output = None,
    curves: Annotated[
        Path | None,
        typer.Option(help="Write the curves: CSV, TSV, JSON, JSONL or Parquet file."),
    ] = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Simulate validation in the order of each method, with the true labels, and compare.

    It prints the expected normalised error reduction (ENER) for each expected fraction xi.

    Example: satc simulate --scores test.npy --labels test.npz --oof-scores oof.npy
    --train-labels train.npz --method u-theoretic --method baseline --plot curve.svg
    """
    from satc.cli.progress import track
    from satc.cli.results import write_columns
    from satc.cli.score_files import read_score_files, read_true_labels
    from satc.simulation import simulate as run

    if output is not None:
        refuse(context, ["as_json"], "prints: leave --output out, or name a .json file")
    files = read_score_files(scores, oof_scores, train_labels)
    truth = read_true_labels(labels, scores)
    chosen: dict[str, Any] = {"measure": measure, "average": average, "random_state": seed}
    simulations = {
        name: run(files.scores, truth, **files.training, method=name, **chosen)
        for name in track(method, "simulating")
    }
    rows = [
        {
            "method": name,
            **{f"ENER({x:g})": round(sim.ener(x, class_wise=class_wise), 6) for x in xi},
        }
        for name, sim in simulations.items()
    ]
    if curves is not None:
        write_columns(curves, _curves(simulations))
    if plot is not None:
        _draw(plot, simulations, f"Error reduction, {average} {measure}")
    _write_rows(rows, output, as_json)


def _write_rows(rows: list[dict[str, Any]], output: Path | None, as_json: bool) -> None:
    from satc.cli.results import write_columns
    from satc.cli.show import print_json, print_rows

    if output is not None:
        write_columns(output, {key: [row[key] for row in rows] for key in rows[0]})
    elif as_json:
        print_json(rows)
    else:
        print_rows(rows)


def _draw(path: Path, simulations: Mapping[str, Simulation], title: str) -> None:
    from satc.cli.results import write_picture
    from satc.evaluation.plot import error_reduction_chart

    curves = {name: sim.error_reduction for name, sim in simulations.items()}
    write_picture(path, error_reduction_chart(curves, title=title))


def _curves(simulations: Mapping[str, Simulation]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"method": [], "validated": [], "error_reduction": []}
    for name, sim in simulations.items():
        curve = sim.error_reduction.tolist()
        columns["method"] += [name] * len(curve)
        columns["validated"] += range(len(curve))
        columns["error_reduction"] += curve
    return columns
