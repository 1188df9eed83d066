"""`satc two-stage`: who reads which document, for responsiveness and for privilege."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from satc.cli import options
from satc.cli.option_checks import check_excel, refuse
from satc.cli.option_groups import with_groups
from satc.cli.options import ColumnOptions, LearnerOptions
from satc.cli.prediction_options import PredictionOptions
from satc.cli.ranked_output import Destination
from satc.cli.review_output import COLUMNS, write_review
from satc.cli.review_probabilities import TASK, Questions, of_predictions, of_texts
from satc.texts.learner_source import LearnerSource
from satc.workbench.model.new_project.setting_values import read_costs
from satc.workbench.model.settings import Settings

_TWO_WAYS = "either --train and --documents are needed, or --predictions and --known"


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """The texts: documents to learn from, and documents to be reviewed."""

    train: Annotated[
        Path | None, typer.Option(help="Labelled documents to learn from: id, text, labels.")
    ] = None
    documents: Annotated[Path | None, typer.Option(help="Documents to be reviewed: id, text.")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class ReviewOptions:
    """The two questions, what errors and reviewers cost, and the answers so far."""

    responsive: Annotated[str, typer.Option(help="Class of the documents that are asked for.")] = (
        "responsive"
    )
    privileged: Annotated[
        str, typer.Option(help="Class of the documents that need not be handed over.")
    ] = "privileged"
    costs: Annotated[
        Path | None,
        typer.Option(
            help="Costs of wrong actions: a table with the column 'action' and the columns "
            "'produce', 'log' and 'withhold', one row for each of these actions."
        ),
    ] = None
    prices: Annotated[
        str,
        typer.Option(help="Prices of reading a document for responsiveness and for privilege."),
    ] = "1,5"
    answers: Annotated[
        Path | None,
        typer.Option(
            help="Answers so far: 'id', and yes, no or nothing in columns with the names of the "
            "two classes; the file of --output, filled in."
        ),
    ] = None
    stage_by_stage: Annotated[
        bool,
        typer.Option(
            "--stage-by-stage",
            help="Plan the first stage as if no second one followed, as in the paper.",
        ),
    ] = False

    @property
    def names(self) -> tuple[str, str]:
        """The two classes, whose names the columns of the answers have."""
        if self.responsive == self.privileged:
            raise typer.BadParameter(
                "--responsive and --privileged must be two classes, but both are "
                f"{self.responsive!r}"
            )
        for name in (self.responsive, self.privileged):
            if name in COLUMNS:
                raise typer.BadParameter(
                    f"a class must not be called {name!r}, as a column of the output is"
                )
        return self.responsive, self.privileged

    def read_costs(self) -> Any:
        """Return the costs of wrong actions."""
        from satc.files.review.costs import read_review_costs
        from satc.review_stages.costs import ERRORS

        return ERRORS if self.costs is None else read_review_costs(self.costs)

    def read_prices(self) -> tuple[float, ...]:
        """Return the prices of the two reviewers."""
        try:
            return read_costs(self.prices, "--prices")
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None


@with_groups
def two_stage(
    context: typer.Context,
    *,
    given: TextOptions,
    review: ReviewOptions,
    predicted: PredictionOptions,
    learning: LearnerOptions,
    columns: ColumnOptions,
    prior_shift: options.PriorShift = Settings.prior_shift,
    seed: options.Seed = LearnerSource.seed,
    output: options.Output = None,
    excel: options.Excel = False,
    as_json: options.AsJson = False,
) -> None:
    """Plan a review for responsiveness and privilege at the least expected cost.

    A document is produced (handed over), logged (listed as privileged) or withheld (it is not
    responsive). The output names for each document the action that is expected to cost least, and
    who should read it: a reviewer is asked if the expected cost of wrong actions falls by more than
    the price. Documents whose reading saves most come first. Reviewers fill in the columns that
    have the names of the two classes; with --answers, the same command then plans the rest.

    Example: satc two-stage --train coded.csv --documents new.csv -o review.csv

    Example: satc two-stage --train coded.csv --documents new.csv --answers review.csv
    --costs costs.csv --prices 1,5 -o review2.csv

    Example: satc two-stage --predictions predicted.csv --known gold.csv --responsive contracts
    --privileged legal -o review.csv
    """
    from satc.review_stages import two_stage as plan
    from satc.review_stages.costs import ReviewCosts

    if output is not None:
        refuse(context, ["as_json"], "prints: leave --output out, or name a .json file")
    check_excel(excel, output)
    money = {"costs": review.read_costs(), "prices": review.read_prices()}
    ReviewCosts.of(*money.values())  # before training, so that a fault is found at once
    questions = Questions(review.names, review.answers, columns.id_column)
    option = {"random_state": seed, "prior_shift": prior_shift}
    if predicted.predictions is not None:
        if given.train is not None or predicted.known is None:
            raise typer.BadParameter(_TWO_WAYS)
        found = of_predictions(predicted, given.documents, columns, questions, option)
    else:
        refuse(context, ["kind", "threshold", "known", "classes"], "needs --predictions")
        if given.train is None or given.documents is None:
            raise typer.BadParameter(_TWO_WAYS)
        source = learning.source(given.train, given.documents, seed, columns, TASK)
        found = of_texts(source, questions, option)
    planned = plan(
        found.responsive,
        found.privileged,
        **money,
        known_responsive=found.answers[0],
        known_privileged=found.answers[1],
        look_ahead=not review.stage_by_stage,
    )
    destination = Destination(output, as_json, excel=excel)
    write_review(planned, found, dict(zip(review.names, found.answers, strict=True)), destination)
