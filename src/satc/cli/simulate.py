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
    without_training,
)
from satc.cli.option_groups import with_groups
from satc.cli.prediction_options import FeatureOptions, OpinionOptions, PredictionOptions
from satc.cli.simulated_predictions import read_simulated_predictions
from satc.texts.columns import Columns
from satc.texts.wanted_task import WantedTask
from satc.workbench.model.settings import Settings

if TYPE_CHECKING:
    from satc.cli.score_files import ScoreFiles
    from satc.inputs import Labels
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
    scores: options.ScoresFile = None,
    labels: options.LabelsFile = None,
    oof_scores: options.OofScoresFile = None,
    train_labels: options.TrainLabelsFile = None,
    method: options.Methods = DEFAULT_METHODS,
    measure: options.Measure = Settings.measure,
    average: options.Average = Settings.average,
    decide: options.Decisions = ["sign"],  # noqa: B006
    prior_shift: options.PriorShift = Settings.prior_shift,
    target: options.Targets = [0.8, 0.9, 0.95],  # noqa: B006
    xi: options.Xi = [0.05, 0.10, 0.20],  # noqa: B006
    class_wise: Annotated[
        bool, typer.Option(help="Average the reductions of the classes (macro only).")
    ] = False,
    *,
    predicted: PredictionOptions,
    similar: FeatureOptions,
    further: OpinionOptions,
    columns: options.ColumnOptions,
    task: options.TaskOptions,
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
    wanted, side, names = task.wanted(), (oof_scores, train_labels), columns.names()
    if predicted.predictions is None:
        refuse(context, ["kind", "threshold", "known", "classes"], "needs --predictions")
        files, truth, found = _read_scores(scores, labels, side, similar, further, wanted, names)
    else:
        refuse(context, ["scores"], "must not be given together with --predictions")
        files, truth, found = read_simulated_predictions(
            predicted, similar, further, labels, side, wanted, names
        )
    chosen: dict[str, Any] = {"measure": measure, "average": average, "random_state": seed}
    chosen |= {"task": found, "prior_shift": prior_shift}
    method = _methods(context, method, files.is_trained, predicted)
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
            **{f"until {value:g}": sim.documents_for(value) for value in target},
            **{f"ENER({x:g})": round(sim.ener(x, class_wise=class_wise), 6) for x in xi},
        }
        for one, sim in simulations.items()
    ]
    if curves is not None:
        write_columns(curves, _curves(simulations))
    _draw(plot, plot_value, simulations, display_name(measure, average, chosen["task"]))
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


def _read_scores(
    scores: Path | None,
    labels: Path | None,
    training: tuple[Path | None, Path | None],
    similar: FeatureOptions,
    further: OpinionOptions,
    wanted: WantedTask,
    columns: Columns,
) -> tuple[ScoreFiles, Labels, str]:
    """Return scores and training side, true labels, and the task, which is said."""
    from satc.cli.found_task import task_of_simulation
    from satc.cli.score_files import (
        read_feature_files,
        read_opinion_files,
        read_score_files,
        read_true_labels,
    )
    from satc.files.matrices import refuse_without_signs

    files = read_score_files(scores, *training, wanted.none_class, **columns.as_dict())
    known = read_feature_files(similar, files, columns.id_column)
    known |= read_opinion_files(further.opinions(), files, wanted, columns)
    files = files._replace(training=files.training | known)
    truth = read_true_labels(labels, scores, wanted.none_class, **columns.as_dict())
    read = {labels: truth, training[1]: files.training.get("y_train")}
    task = task_of_simulation(read, wanted, **columns.as_dict())
    refuse_without_signs(files.scores, scores, task)
    return files, truth, task


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
