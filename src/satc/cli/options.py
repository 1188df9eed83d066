"""Options that recur keep one name, one meaning and one check everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import typer

from satc.errors import MissingExtraError
from satc.inputs import Labels, Scores, check_average, choice

P = TypeVar("P", bound=str | Path)


def _checked(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Turn a wrong value into a wrong call."""

    def callback(value: Any) -> Any:
        try:
            for one in value if isinstance(value, list) else [value]:
                check(one)
        except (TypeError, ValueError) as error:
            raise typer.BadParameter(str(error)) from None
        return value

    return callback


def _method(name: str) -> None:
    from satc.ranking.methods import parse_method

    parse_method(name)


def _measure(name: str) -> None:
    from satc.measures import parse

    parse(name)


def _engine(name: str | None) -> None:
    if name is not None:
        choice(name, {"duckdb": 1, "spark": 2}, "engine")


def _fraction(xi: float) -> None:
    if not 0 < xi <= 1:
        raise ValueError(f"xi must be a fraction above 0 and up to 1, but is {xi}")


def _picture(path: Path | None) -> None:
    from satc.evaluation.plot import FORMATS

    if path is not None and path.suffix.lower() not in FORMATS:
        raise ValueError(f"a plot must end in one of {', '.join(FORMATS)}, but is {path.name!r}")
    if path is not None and not (find_spec("altair") and find_spec("vl_convert")):
        raise MissingExtraError("drawing a curve", "plots")  # before there is much to draw


def _table(path: Path | None) -> None:
    endings = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
    if path is not None and path.suffix.lower() not in endings:
        raise ValueError(f"a table must end in one of {', '.join(endings)}, but is {path.name!r}")


ScoresFile = Annotated[
    Path | None,
    typer.Option("--scores", help="Scores of the documents: .npy, .npz or .parquet."),
]
StoredScores = Annotated[
    str | None,  # an address such as s3a://bucket/scores is no path
    typer.Option(
        "--scores",
        help="Scores of the documents: .npy, .npz or .parquet; stored ones by a pattern, a "
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
        help="True labels of the training documents: a 0/1 matrix, or a file with 'labels'.",
    ),
]
LabelsFile = Annotated[
    Path | None,
    typer.Option("--labels", help="True labels of the documents: a 0/1 matrix, or a file."),
]
Learner = Annotated[
    str, typer.Option(help="svm, mpboost, or module:object for a classifier of your own.")
]
Folds = Annotated[int, typer.Option(help="Folds of the cross-validation.", min=2)]
IdColumn = Annotated[str, typer.Option(help="Name of the column of ids.")]
TextColumn = Annotated[str, typer.Option(help="Name of the column of texts.")]
LabelsColumn = Annotated[str, typer.Option(help="Name of the column of labels.")]
Separator = Annotated[str, typer.Option(help="What stands between labels in CSV.")]
Method = Annotated[str, typer.Option(help="The ranking method.", callback=_checked(_method))]
Methods = Annotated[
    list[str],
    typer.Option("--method", help="A ranking method; repeat.", callback=_checked(_method)),
]
Measure = Annotated[
    str,
    typer.Option(
        help="What is to rise: f1, f2, f0.5, ..., accuracy, jaccard, kappa, matthews, g-mean, "
        "balanced-accuracy.",
        callback=_checked(_measure),
    ),
]
Average = Annotated[
    str,
    typer.Option(help="macro (classes count alike) or micro.", callback=_checked(check_average)),
]
Xi = Annotated[
    list[float],
    typer.Option("--xi", help="Expected fraction validated; repeat.", callback=_checked(_fraction)),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="Rank where the scores are stored: duckdb or spark.", callback=_checked(_engine)
    ),
]
Master = Annotated[
    str | None, typer.Option(help="Spark's master, as in spark://host:7077 or local[4].")
]
Absent = Annotated[
    float | None,
    typer.Option(help="Pairs not stored are negative with this confidence, as in 2.5."),
]
Top = Annotated[int | None, typer.Option(help="Only the first documents.", min=1)]
Seed = Annotated[int, typer.Option(help="Seed of whatever is random.", min=0)]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="CSV, TSV, JSON, JSONL or Parquet file.", callback=_checked(_table)
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(help="Draw the curves: .svg, .png or .html.", callback=_checked(_picture)),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


class ScoreFiles(NamedTuple):
    """What the score files hold."""

    scores: Scores
    ids: tuple[str, ...] | None
    training: dict[str, Any]  # oof_scores and y_train, where given
    numbered: bool  # whether ids are numbers, and so go by their size


def read_score_files(
    scores: str | Path | None,
    oof_scores: Path | None,
    train_labels: Path | None,
    **columns: str,
) -> ScoreFiles:
    """Read the scores and what goes with them; classes go by name where files have names."""
    from satc.files import read_scores, read_training

    table = read_scores(required(scores, "--scores"))
    training: dict[str, Any] = {}
    if (oof_scores is None) != (train_labels is None):
        raise typer.BadParameter("--oof-scores and --train-labels must be given together")
    if oof_scores is not None and train_labels is not None:
        known = read_training(oof_scores, train_labels, table.classes, **columns)
        training = {"oof_scores": known.oof_scores, "y_train": known.labels}
    return ScoreFiles(table.scores, table.ids, training, table.numbered)


def read_true_labels(labels: Path | None, scores: Path | None) -> Labels:
    """Read the true labels of the documents, in the order of the classes of the scores."""
    from satc.files import read_labels, read_scores

    given = required(labels, "--labels")
    table = read_scores(required(scores, "--scores"))
    return read_labels(given, table.classes, ids=table.ids)


def required(path: P | None, option: str) -> P:
    """Return the path; the option must be there."""
    if path is None:
        raise typer.BadParameter(f"{option} is needed")
    return path


def refuse(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse options that were given and would do nothing."""
    options = {one.name: one.opts[0] for one in context.command.params}
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(f"{options[name]} {why}")


def without_truth(method: str) -> None:
    """Refuse an oracle, before minutes are spent on training."""
    from satc.ranking.methods import parse_method

    if parse_method(method).needs_truth:
        raise typer.BadParameter(
            f"method {method!r} needs the true labels of the documents, as 'satc simulate' has them"
        )


def share(text: str, option: str) -> float:
    """Read a share: "10%" or "0.1"."""
    try:
        number = float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 1.0:
        raise typer.BadParameter(f"{option} must be a share such as 10% or 0.1, but is {text!r}")
    return number


def rule(text: str) -> str:
    """Read a stopping rule, and write it as it is understood; nothing is no rule."""
    from satc.assurance.stopping_rules import parse_rule

    try:
        return text and repr(parse_rule(text))
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(f"--stop: {error}") from None
