"""Options that several commands share: each has one name, one meaning and one check.

Their defaults come from the objects that they fill: `Settings`, `LearnerSource`, `Columns`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from satc.cli import option_checks as checks
from satc.cli.book_options import BookOptions
from satc.cli.option_checks import checked
from satc.cli.prediction_options import (
    EmbeddingOptions,
    FeatureOptions,
    OpinionOptions,
    PredictionOptions,
)
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, check_average
from satc.texts.columns import Columns
from satc.texts.embedded.wanted import ALONE, BESIDE_WORDS, OPINION
from satc.texts.learner_source import LearnerSource
from satc.texts.wanted_task import WantedTask
from satc.texts.words.wanted import WantedAnalysis
from satc.workbench.model.settings import Settings, default_decide

ScoresFile = Annotated[
    Path | None,
    typer.Option("--scores", help="Scores of the documents: .npy, .npz or .parquet."),
]
StoredScores = Annotated[
    str | None,  # not a path: it may be an address such as s3a://bucket/scores
    typer.Option(
        "--scores",
        help="Scores of the documents: .npy, .npz or .parquet; for stored scores, a pattern, a "
        "directory or an address.",
    ),
]
OofScoresFile = Annotated[
    Path | None,
    typer.Option("--oof-scores", help="Out-of-fold scores of the training documents."),
]
TrainLabelsFile = Annotated[
    Path | None,
    typer.Option(
        "--train-labels",
        help="True labels of the training documents: a 0/1 matrix, or a file with 'labels' or "
        "'label'.",
    ),
]
LabelsFile = Annotated[
    Path | None,
    typer.Option("--labels", help="True labels of the documents: a 0/1 matrix, or a file."),
]
Learner = Annotated[
    str,
    typer.Option(
        help="auto (a linear SVM on what suits the texts), svm or mpboost (those of the paper), "
        "tsvm or self-training (these also learn from the documents to be labelled), embeddings, "
        "words+embeddings (auto and embeddings), the name of a plugin, or module:object for a "
        "classifier of your own.",
        callback=checked(checks.check_learner),
    ),
]
Language = Annotated[
    str,
    typer.Option(
        help="Language of the texts, for stems and stop words: auto, none, or a code such as en, "
        "de, hi. For svm and mpboost, the default is en.",
        callback=checked(checks.check_language),
    ),
]
Analyzer = Annotated[
    str,
    typer.Option(
        help="What is counted in texts: words, characters, both, or auto (by script and length; "
        "in doubt by a quick cross-validation).",
        callback=checked(checks.check_analyzer),
    ),
]
Digits = Annotated[bool, typer.Option("--digits", help="Numbers count as words.")]
Folds = Annotated[int, typer.Option(help="Folds of the cross-validation.", min=2)]
IdColumn = Annotated[str, typer.Option(help="Name of the column of ids.")]
TextColumn = Annotated[str, typer.Option(help="Name of the column of texts.")]
LabelsColumn = Annotated[
    str,
    typer.Option(
        help="Name of the column of labels; without 'labels', 'label' is read instead. Several "
        "columns that hold one label each: code1,code2 or 'code*'."
    ),
]
LabelColumns = Annotated[
    str | None,
    typer.Option(
        help="Columns that stand for a class each, with 0/1, yes/no or x/empty: names or patterns, "
        "as in anger,fear or 'Q7_*'."
    ),
]
Separator = Annotated[str, typer.Option(help="Separator between labels in a CSV cell.")]
Method = Annotated[
    str, typer.Option(help="The ranking method.", callback=checked(checks.check_method))
]
Methods = Annotated[
    list[str],
    typer.Option(
        "--method",
        help="A ranking method; repeat for several.",
        callback=checked(checks.check_method),
    ),
]
Measure = Annotated[
    str,
    typer.Option(
        help="The measure to raise: f1, f2, f0.5, ..., accuracy, jaccard, kappa, matthews, "
        "g-mean, balanced-accuracy, or the name of a plugin.",
        callback=checked(checks.check_measure),
    ),
]
Average = Annotated[
    str,
    typer.Option(
        help="macro (all classes have the same weight) or micro.", callback=checked(check_average)
    ),
]
Decide = Annotated[
    str | None,
    typer.Option(
        help="How labels are decided. sign: a label for every score of 0 or more; in a "
        "single-label task, the class with the largest score. measure: the labels for which the "
        "expected measure is highest.",
        show_default="measure from texts, sign with --scores and --predictions",
        callback=checked(checks.check_decide),
    ),
]
Decisions = Annotated[
    list[str],
    typer.Option(
        "--decide",
        help="How labels are decided. sign: a label for every score of 0 or more; in a "
        "single-label task, the class with the largest score. measure: the labels for which the "
        "expected measure is highest. Repeat for both.",
        callback=checked(checks.check_decide),
    ),
]
PriorShift = Annotated[
    bool,
    typer.Option(
        "--prior-shift",
        help="Classes may be more or less frequent now than among the training documents: estimate "
        "how frequent they are, and correct the probabilities.",
    ),
]
Targets = Annotated[
    list[float],
    typer.Option(
        "--target",
        help="Count the documents until the measure has this value; repeat for several.",
        callback=checked(checks.check_target),
    ),
]
Xi = Annotated[
    list[float],
    typer.Option(
        "--xi",
        help="Expected fraction of documents that are validated; repeat for several.",
        callback=checked(checks.check_fraction),
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="Rank scores or predictions where they are stored, in Parquet files: duckdb or spark.",
        callback=checked(checks.check_engine),
    ),
]
Master = Annotated[
    str | None, typer.Option(help="Spark's master, as in spark://host:7077 or local[4].")
]
Absent = Annotated[
    float | None,
    typer.Option(help="Pairs that are not stored are negative with this confidence, as in 2.5."),
]
Top = Annotated[int | None, typer.Option(help="Only the first documents, this many.", min=1)]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.", min=0)]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="CSV, TSV, XLSX, JSON, JSONL or Parquet file.",
        callback=checked(checks.check_table),
    ),
]
Excel = Annotated[
    bool,
    typer.Option(
        "--excel",
        help="Write the CSV file for Excel where numbers have decimal commas: semicolons between "
        "cells, decimal commas, a byte order mark.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        help="Draw the curves: .svg, .png or .html.", callback=checked(checks.check_picture)
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """Names of the columns in the users' files."""

    id_column: IdColumn = Columns.id_column
    text_column: TextColumn = Columns.text_column
    labels_column: LabelsColumn = Columns.labels_column
    separator: Separator = Columns.separator
    label_columns: LabelColumns = Columns.label_columns

    def names(self) -> Columns:
        """Return the names for the readers of files; refuse two places of the labels."""
        if self.label_columns is not None and self.labels_column != Columns.labels_column:
            raise typer.BadParameter(
                "--label-columns and --labels-column must not be given together"
            )
        return Columns(**{one.name: getattr(self, one.name) for one in fields(ColumnOptions)})


@dataclass(frozen=True, kw_only=True)
class LearnerOptions(EmbeddingOptions):
    """The learner that is trained, its cross-validation, and embeddings beside it."""

    learner: Learner = LearnerSource.learner
    folds: Folds = LearnerSource.folds
    language: Language = WantedAnalysis.language
    analyzer: Analyzer = WantedAnalysis.analyzer
    digits: Digits = WantedAnalysis.digits

    def names(self) -> str:
        """Return the name of the learner, with that of the opinion beside it."""
        beside = self.embeddings is not None and self.learner not in (ALONE, BESIDE_WORDS)
        return f"{self.learner}+{OPINION}" if beside else self.learner

    def source(
        self, train: Path, documents: Path, seed: int, columns: ColumnOptions, wanted: WantedTask
    ) -> LearnerSource:
        """Return the source that trains the learner."""
        return LearnerSource(
            train,
            documents,
            self.learner,
            self.folds,
            seed,
            columns.names(),
            wanted,
            **self.vectors(),
            analysis=WantedAnalysis(self.language, self.analyzer, self.digits),
        )


@dataclass(frozen=True, kw_only=True)
class FigureOptions:
    """The measure, and the figures of a simulation."""

    measure: Measure = Settings.measure
    average: Average = Settings.average
    target: Targets = field(default_factory=lambda: [0.8, 0.9, 0.95])
    xi: Xi = field(default_factory=lambda: [0.05, 0.10, 0.20])


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """How many labels a document has; by default, what the labels of the training files suggest."""

    single_label: Annotated[
        bool,
        typer.Option(
            "--single-label",
            help="Every document has exactly one label; rows with none or several are listed.",
            show_default="if every labelled document has exactly one",
        ),
    ] = False
    multi_label: Annotated[
        bool,
        typer.Option("--multi-label", help="A document has any number of labels, or none."),
    ] = False
    none_class: Annotated[
        str | None,
        typer.Option(
            help="Name of a class for labelled documents that have no label, so that every "
            "document has exactly one."
        ),
    ] = None

    def wanted(self) -> WantedTask:
        """Return the task that was asked for; refuse options that contradict each other."""
        if self.multi_label and (self.single_label or self.none_class is not None):
            other = "--single-label" if self.single_label else "--none-class"
            raise typer.BadParameter(f"--multi-label and {other} must not be given together")
        if self.none_class is not None and not self.none_class.strip():
            raise typer.BadParameter("--none-class must be a name, but is empty")
        named = MULTI_LABEL if self.multi_label else SINGLE_LABEL if self.single_label else None
        return WantedTask(named, self.none_class and self.none_class.strip())


@dataclass(frozen=True, kw_only=True)
class RankingOptions(OpinionOptions, FeatureOptions, BookOptions, PredictionOptions):
    """Files of predictions or scores, the way to rank, and the engine for stored scores."""

    scores: StoredScores = None
    oof_scores: OofScoresFile = None
    train_labels: TrainLabelsFile = None
    method: Method = "contextual"  # as `satc.rank` has it; importing that takes seconds
    measure: Measure = Settings.measure
    average: Average = Settings.average
    decide: Decide = None
    prior_shift: PriorShift = Settings.prior_shift
    engine: Engine = None
    master: Master = None
    absent: Absent = None
    top: Top = None

    def arguments(self, seed: int) -> dict[str, Any]:
        """Return the keyword arguments of `satc.rank`."""
        return {
            "method": self.method,
            "measure": self.measure,
            "average": self.average,
            "decide": self.decided,
            "random_state": seed,
            **({"prior_shift": True} if self.prior_shift else {}),
        }

    @property
    def decided(self) -> str:
        """How labels are decided on: as given; else chosen from texts, otherwise by signs."""
        learnt = self.scores is None and self.predictions is None
        return self.decide or default_decide(from_texts=learnt)

    def engine_arguments(self) -> dict[str, Any]:
        """Return the keyword arguments of `satc.scale.open_scores` that were given."""
        given = {"engine": self.engine, "master": self.master, "absent": self.absent}
        return {name: value for name, value in given.items() if value is not None}
