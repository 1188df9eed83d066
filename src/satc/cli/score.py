"""`satc score`: classify documents block by block, and store their scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options
from satc.cli.option_groups import with_groups
from satc.texts.learner_source import LearnerSource

if TYPE_CHECKING:
    from satc.texts.source import Progress
    from satc.texts.trained_learner import TrainedLearner


def _check_oof_output(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written, before minutes are spent on training."""
    if path is not None and path.suffix != ".parquet":
        raise typer.BadParameter(f"it must end in .parquet, but is {path.name!r}")
    if path is not None and not path.parent.is_dir():
        raise typer.BadParameter(f"it must be in a folder that exists, but {path.parent} does not")
    return path


@with_groups
def score(
    train: Annotated[Path, typer.Option(help="Labelled documents: id, text, labels.")],
    documents: Annotated[Path, typer.Option(help="Documents to classify: id and text.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The new directory of the scores.")
    ],
    learner: options.Learner = LearnerSource.learner,
    oof_output: Annotated[
        Path | None,
        typer.Option(
            help="Write the out-of-fold scores of the labelled documents: .parquet.",
            callback=_check_oof_output,
        ),
    ] = None,
    folds: options.Folds = LearnerSource.folds,
    *,
    columns: options.ColumnOptions,
    seed: options.Seed = LearnerSource.seed,
) -> None:
    """Train, and write the scores of the documents as Parquet in long form, a file for each block.

    Only one block of documents is in memory. The directory is complete at the end, or is not there
    at all.

    Example: satc score --train labelled.csv --documents new.jsonl -o scores/ --oof-output
    oof.parquet
    """
    from satc.cli.progress import steps
    from satc.cli.show import say
    from satc.files.score_parts import new_score_folder

    source = LearnerSource(train, documents, learner, folds, seed, columns.names())
    with new_score_folder(output) as folder, steps() as progress:
        trained = source.prepare(progress)
        n = _write_scores(folder, trained, progress)
        if oof_output is not None:
            _write_oof_scores(oof_output, trained)
    say(f"wrote the scores of {n:,} documents to {output}")


def _write_scores(folder: Path, trained: TrainedLearner, progress: Progress) -> int:
    """Write a file for each block; return how many documents there are."""
    from satc.files.faults import Faults
    from satc.files.score_parts import write_block

    faults = Faults(trained.source.documents)
    n = 0
    for part, (documents, scores, _) in enumerate(trained.blocks(faults)):
        path = folder / f"part-{part:06d}.parquet"
        write_block(path, documents.ids, trained.classes, scores)
        n += len(documents)
        progress("classifying documents", n)
    faults.check()
    return n


def _write_oof_scores(path: Path, trained: TrainedLearner) -> None:
    from satc.files.atomic import atomic_file
    from satc.files.score_parts import write_block

    with atomic_file(path) as temporary:
        write_block(temporary, trained.train_ids, trained.classes, trained.training.oof_scores)
