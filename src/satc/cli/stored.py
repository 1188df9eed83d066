"""Rank scores or predictions where they are stored, in Parquet files or at an address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from satc.cli.option_checks import required
from satc.cli.options import ColumnOptions, RankingOptions
from satc.texts.wanted_task import WantedTask

if TYPE_CHECKING:
    from satc.files.predictions.features import FeatureTable
    from satc.scale import StoredRanking, StoredScores
    from satc.texts.source import Progress
    from satc.training import Training


class StoredSide(NamedTuple):
    """Stored scores, and the documents from which their errors are learnt."""

    scores: StoredScores
    training: Training
    train_ids: tuple[str, ...] | None
    task: str


def is_stored(scores: str | None) -> bool:
    """Whether this is a pattern, a directory or an address, not a file to be read into memory."""
    if scores is None:
        return False
    return "://" in scores or any(c in scores for c in "*?[") or Path(scores).is_dir()


def files_of(scores: str) -> str:
    """Return the pattern of the Parquet files; of a directory, all its files."""
    return f"{scores}/*.parquet" if Path(scores).is_dir() else scores


def vector_files(ranking: RankingOptions) -> str | None:
    """Return the files of vectors beside the scores; None if there are none."""
    if (ranking.features is None) != (ranking.train_features is None):
        raise typer.BadParameter("--features and --train-features must be given together")
    return None if ranking.features is None else files_of(ranking.features)


@contextmanager
def stored_ranking(
    ranking: RankingOptions, columns: ColumnOptions, wanted: WantedTask, seed: int
) -> Iterator[StoredRanking]:
    """Rank stored scores or predictions; the ranking can be read inside the `with` block."""
    from satc import scale
    from satc.cli.progress import steps
    from satc.cli.stored_predictions import open_stored_predictions

    open_side = _open_stored_scores if ranking.predictions is None else open_stored_predictions
    with ExitStack() as stack:
        with steps() as progress:
            side = stack.enter_context(open_side(ranking, columns, wanted, progress))
            training = _with_features(side, ranking, columns)
            progress(f"estimating from {training.n_documents:,} documents with known labels")
            given = ranking.arguments(seed) | {"task": side.task}
            found = scale.rank(side.scores, training=training, **given)
        yield found


@contextmanager
def _open_stored_scores(
    ranking: RankingOptions, columns: ColumnOptions, wanted: WantedTask, progress: Progress
) -> Iterator[StoredSide]:
    from satc import scale
    from satc.cli.found_task import task_of_labels
    from satc.files import read_labels, read_scores
    from satc.files.matrices import refuse_probabilities
    from satc.training import Training

    if ranking.oof_scores is None or ranking.train_labels is None:
        raise typer.BadParameter("stored scores need --oof-scores and --train-labels")
    vectors = vector_files(ranking)
    progress("opening the scores")
    oof = read_scores(ranking.oof_scores)
    remedy = f"--predictions {ranking.scores} --kind probabilities in the place of --scores"
    refuse_probabilities(oof.scores, ranking.oof_scores, remedy)
    with scale.open_scores(
        files_of(required(ranking.scores, "--scores")),
        classes=oof.classes,
        training=ranking.oof_scores,
        vectors=vectors,
        **ranking.engine_arguments(),
    ) as scores:
        labels = read_labels(
            ranking.train_labels,
            scores.classes,
            ids=oof.ids,
            none_class=wanted.none_class,
            **columns.names().as_dict(),
        )
        task = task_of_labels(ranking.train_labels, labels, wanted, columns)
        yield StoredSide(scores, Training(oof.scores, labels), oof.ids, task)


def _with_features(side: StoredSide, ranking: RankingOptions, columns: ColumnOptions) -> Training:
    """Return the training documents with their features, where these are given."""
    if ranking.train_features is None:
        return side.training
    known = _train_features(ranking.train_features, columns.id_column, side.scores)
    features = known.of(side.train_ids, side.training.n_documents)
    return replace(side.training, features=features)


def _train_features(path: Path, id_column: str, scores: StoredScores) -> FeatureTable:
    """Read features of the training documents; terms get as many features as those stored."""
    from satc.files.predictions.features import read_features
    from satc.scale.vectors import n_features_of_terms

    known = read_features(path, id_column)
    if not known.are_terms or not scores.has_terms:
        return known
    return known.widened(n_features_of_terms(scores.engine, scores.vectors))


def check_complete_order(path: Path) -> None:
    """Refuse a file format in which a complete order cannot be written in batches."""
    if path.suffix.lower() != ".parquet":
        raise typer.BadParameter(
            f"--output must be a .parquet file for the complete order, but is {path}; "
            "with --top it may have another format"
        )


def write_order(path: Path, ranking: StoredRanking) -> None:
    """Write the complete order to a Parquet file, batch by batch."""
    import pyarrow.parquet as pq

    from satc.cli.progress import counted, steps
    from satc.cli.show import say
    from satc.files.atomic import atomic_file

    with atomic_file(path) as temporary:
        with steps() as progress:
            progress("ranking")
            batches = ranking.batches()
            first = next(batches)
            total = ranking.scores.quick_n_documents
        with pq.ParquetWriter(temporary, first.schema) as writer, counted("writing") as show:
            done = 0
            for batch in chain([first], batches):
                writer.write_table(batch)
                done += len(batch)
                show(done, total)
    say(f"wrote {path}")
