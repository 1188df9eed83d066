"""`satc score`: classify documents block by block, and store their scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options
from satc.cli.option_checks import check_decide, checked
from satc.cli.option_groups import with_groups
from satc.texts.learner_source import LearnerSource
from satc.workbench.model.settings import Settings

if TYPE_CHECKING:
    from satc.texts.source import Block, Progress
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
    train: Annotated[Path, typer.Option(help="Labelled documents: id, text, and labels or label.")],
    documents: Annotated[Path, typer.Option(help="Documents to classify: id and text.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The new directory of the scores.")
    ],
    oof_output: Annotated[
        Path | None,
        typer.Option(
            help="Write the out-of-fold scores of the labelled documents: .parquet.",
            callback=_check_oof_output,
        ),
    ] = None,
    measure: options.Measure = Settings.measure,
    average: options.Average = Settings.average,
    decide: Annotated[
        str,
        typer.Option(
            help="How labels are decided. measure: the labels for which the expected measure is "
            "highest. sign: a label for every score of 0 or more; in a single-label task, the "
            "class with the largest score.",
            callback=checked(check_decide),
        ),
    ] = "measure",
    *,
    learning: options.LearnerOptions,
    columns: options.ColumnOptions,
    task: options.TaskOptions,
    seed: options.Seed = LearnerSource.seed,
) -> None:
    """Train, and write scores and labels of the documents as Parquet, a file for each block.

    The files are in long form, a row for each document and class: score, label and, where labels
    are chosen for the measure, probability. Only one block of documents is in memory. The directory
    is complete at the end, or is not there at all. With --embeddings, probabilities and chosen
    labels come from the words and from vectors of the texts; the scores are the learner's.

    Example: satc score --train labelled.csv --documents new.jsonl -o scores/ --oof-output
    oof.parquet
    """
    from satc.cli.found_analysis import say_analysis
    from satc.cli.found_task import say_task
    from satc.cli.progress import steps
    from satc.cli.show import say
    from satc.files.score_parts import new_score_folder
    from satc.ranking.preparation import enough_for_context

    wanted = task.wanted()
    source = learning.source(train, documents, seed, columns, wanted)
    with new_score_folder(output) as folder, steps() as progress:
        trained = source.prepare(progress)
        if decide == "sign" or not enough_for_context(trained.training.labels, stacklevel=1):
            n = _write_scores(folder, trained, progress)
        else:
            n = _write_chosen(folder, trained, progress, measure, average)
        if oof_output is not None:
            _write_oof_scores(oof_output, trained)
    say_task(trained.training.labels, trained.task, wanted)
    say_analysis(trained)
    say(f"wrote the scores of {n:,} documents to {output}")


def _write_scores(folder: Path, trained: TrainedLearner, progress: Progress) -> int:
    """Write a file for each block, with the classifier's own labels; count the documents."""
    from satc.decisions import own_labels
    from satc.files.score_parts import write_block

    n = 0
    for path, (documents, scores, _) in _parts(folder, trained):
        labels = own_labels(scores, trained.task)
        write_block(path, documents.ids, trained.classes, scores, label=labels)
        n += len(documents)
        progress("classifying documents", n)
    return n


def _write_chosen(
    folder: Path, trained: TrainedLearner, progress: Progress, measure: str, average: str
) -> int:
    """Write a file for each block, then the labels that are best for the measure."""
    from satc.files.score_parts import add_labels, write_block
    from satc.texts.chosen_labels import collect_probabilities, probabilities_of

    m, seed = len(trained.classes), trained.source.seed
    probabilities = probabilities_of(trained.training, seed, trained.task)
    collected, n = collect_probabilities(trained.task, m, seed), 0
    for path, (documents, scores, features) in _parts(folder, trained):
        p = probabilities(scores, features)
        collected.add(p)
        write_block(path, documents.ids, trained.classes, scores, probability=p)
        n += len(documents)
        progress("classifying documents", n)
    progress("choosing labels")
    decide = collected.decider(measure, average)
    for path in sorted(folder.iterdir()):
        add_labels(path, m, decide)
    return n


def _parts(folder: Path, trained: TrainedLearner) -> Iterator[tuple[Path, Block]]:
    """Give each block of documents with the file that it is written to."""
    from satc.files.faults import Faults

    faults = Faults(trained.source.documents)
    for part, block in enumerate(trained.blocks(faults)):
        yield folder / f"part-{part:06d}.parquet", block
    faults.check()


def _write_oof_scores(path: Path, trained: TrainedLearner) -> None:
    from satc.files.atomic import atomic_file
    from satc.files.score_parts import write_block

    with atomic_file(path) as temporary:
        write_block(temporary, trained.train_ids, trained.classes, trained.training.oof_scores)
