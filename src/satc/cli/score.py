"""`satc score`: classify documents block by block, and store their scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options

if TYPE_CHECKING:
    from satc.texts.sources import LearnerSource


def _place(path: Path | None) -> Path | None:
    """Refuse a file that could not be written, before minutes are spent on training."""
    if path is not None and path.suffix != ".parquet":
        raise typer.BadParameter(f"it must end in .parquet, but is {path.name!r}")
    if path is not None and not path.parent.is_dir():
        raise typer.BadParameter(f"it must be in a folder that exists, but {path.parent} does not")
    return path


def score(
    train: Annotated[Path, typer.Option(help="Labelled documents: id, text, labels.")],
    documents: Annotated[Path, typer.Option(help="Documents to classify: id and text.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The new directory of the scores.")
    ],
    learner: options.Learner = "svm",
    oof_output: Annotated[
        Path | None,
        typer.Option(
            help="Write the out-of-fold scores of the labelled documents: .parquet.",
            callback=_place,
        ),
    ] = None,
    folds: options.Folds = 10,
    id_column: options.IdColumn = "id",
    text_column: options.TextColumn = "text",
    labels_column: options.LabelsColumn = "labels",
    separator: options.Separator = "|",
    seed: options.Seed = 0,
) -> None:
    """Train, and write the scores of the documents as Parquet in long form, a file for each block.

    Of the documents only one block is in memory. The directory is complete, or not there at all.

    Example: satc score --train labelled.csv --documents new.jsonl -o scores/ --oof-output
    oof.parquet
    """
    from satc.cli.show import complain, steps
    from satc.files.faults import Faults
    from satc.files.score_parts import new_score_folder, write_block
    from satc.texts.sources import Columns, LearnerSource

    columns = Columns(id_column, text_column, labels_column, separator)
    source = LearnerSource(train, documents, learner, folds, seed, columns)
    with new_score_folder(output) as folder, steps() as progress:
        classes, training = source.prepare(progress)
        faults = Faults(documents)
        n = 0
        for part, block in enumerate(source.blocks(faults)):
            write_block(
                folder / f"part-{part:06d}.parquet", block.documents.ids, classes, block.scores
            )
            n += len(block.documents)
            progress("classifying documents", n, None)
        faults.check()
        if oof_output is not None and training is not None:
            _write_oof(oof_output, source, classes, training.oof_scores)
    complain(f"wrote the scores of {n:,} documents to {output}")


def _write_oof(
    path: Path, source: LearnerSource, classes: tuple[str, ...], oof_scores: object
) -> None:
    from satc.files import read_documents
    from satc.files.atomic import atomic_file
    from satc.files.score_parts import write_block

    ids = read_documents(source.train, **source.columns.as_dict()).ids
    with atomic_file(path) as temporary:
        write_block(temporary, ids, classes, oof_scores)
