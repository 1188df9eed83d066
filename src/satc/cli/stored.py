"""Ranking where the scores are stored, for the commands: files in, rows out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from satc.scale import StoredRanking


def is_stored(scores: str | None) -> bool:
    """Whether this is a pattern, a directory or an address, not a file to be read into memory."""
    if scores is None:
        return False
    return "://" in scores or any(c in scores for c in "*?[") or Path(scores).is_dir()


@contextmanager
def stored_ranking(
    scores: str,
    oof_scores: Path | None,
    train_labels: Path | None,
    *,
    engine: str,
    master: str | None,
    absent: float | None,
    columns: Mapping[str, str],
    **options: Any,
) -> Iterator[StoredRanking]:
    """Rank stored scores, as long as the block lasts."""
    from satc import scale
    from satc.files import read_labels, read_scores

    if oof_scores is None or train_labels is None:
        raise typer.BadParameter("stored scores need --oof-scores and --train-labels")
    oof = read_scores(oof_scores)
    opened = scale.open_scores(
        files_of(scores),
        classes=oof.classes,
        engine=engine,
        master=master,
        absent=absent,
        training=oof_scores,
    )
    with opened as stored:
        labels = read_labels(train_labels, stored.classes, ids=oof.ids, **columns)
        yield scale.rank(stored, oof_scores=oof.scores, y_train=labels, **options)


def files_of(scores: str) -> str:
    """Return the pattern of the Parquet files: in a directory, all of them."""
    return f"{scores}/*.parquet" if Path(scores).is_dir() else scores


def check_whole(path: Path) -> None:
    """Refuse a file that a whole order cannot be written to in batches."""
    if path.suffix.lower() != ".parquet":
        raise typer.BadParameter(
            f"a whole order must go to a .parquet file, or be cut by --top, but is to go to {path}"
        )


def write_order(path: Path, ranking: StoredRanking) -> None:
    """Write the whole order to a Parquet file, batch by batch, complete or not at all."""
    import pyarrow.parquet as pq

    from satc.cli.show import complain
    from satc.files.atomic import atomic_file

    with atomic_file(path) as temporary:
        batches = ranking.batches()
        first = next(batches)
        with pq.ParquetWriter(temporary, first.schema) as writer:
            writer.write_table(first)
            for batch in batches:
                writer.write_table(batch)
    complain(f"wrote {path}")
