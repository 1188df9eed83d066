"""`satc embed`: a file with a vector of each document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options
from satc.texts.columns import Columns

if TYPE_CHECKING:
    from satc.embeddings import Embedder
    from satc.files import Documents

DEFAULT_MODEL = "all-MiniLM-L6-v2"


def _check_output(path: Path) -> Path:
    """Refuse a file that cannot be written, before minutes are spent."""
    if path.suffix not in (".parquet", ".npy"):
        raise typer.BadParameter(f"it must end in .parquet or .npy, but is {path.name!r}")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"it must be in a folder that exists, but {path.parent} does not")
    return path


def embed(
    documents: Annotated[
        list[Path], typer.Argument(help="Files of documents: id and text.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The file of the vectors: .parquet, with the ids, or .npy, in the same order.",
            callback=_check_output,
        ),
    ],
    model: Annotated[
        str, typer.Option(help="Name or folder of a sentence-transformers model.")
    ] = DEFAULT_MODEL,
    cache: Annotated[
        bool,
        typer.Option(help="Keep the vectors, so that a text is embedded only once."),
    ] = True,
    id_column: options.IdColumn = Columns.id_column,
    text_column: options.TextColumn = Columns.text_column,
) -> None:
    """Write a vector of each document: documents with a similar meaning have similar vectors.

    The command first measures its speed on a sample and says how long it will take. If it is
    interrupted, run it again: vectors are kept after each block of documents. A document that is
    longer than the model reads is cut into passages, and has the mean of their vectors.

    Example: satc embed labelled.csv new.jsonl -o vectors.parquet
    """
    from satc.cli.show import say
    from satc.embeddings import Embedder, Survey

    columns = Columns(id_column, text_column)
    embedder = Embedder(model, cache=cache)
    survey = Survey(embedder)
    for block in _checked_documents(documents, columns, with_ids=output.suffix == ".parquet"):
        survey.add(block.texts)
    say(f"{embedder.folder.name}: {survey.cost()}")
    blocks = chain.from_iterable(_blocks(path, columns) for path in documents)
    _write(output, embedder, blocks, survey.n_texts)
    _say_counts(embedder)
    say(f"wrote {survey.n_texts:,} vectors of {embedder.n_dimensions} numbers to {output}")


def _write(output: Path, embedder: Embedder, blocks: Iterator[Documents], total: int) -> None:
    from satc.cli.progress import paced
    from satc.embeddings.vector_file import vector_file

    with vector_file(output, embedder, total) as write, paced("embedding", "text") as show:
        for block in blocks:
            write(block.ids, embedder.embed(block.texts))
            show(embedder.counts.n_texts, total)


def _checked_documents(
    paths: list[Path], columns: Columns, *, with_ids: bool
) -> Iterator[Documents]:
    """Read all documents once, so that a fault is found before anything is computed."""
    homes: dict[str, Path] = {}
    for path in paths:
        for block in _blocks(path, columns):
            if with_ids and len(paths) > 1:
                _check_ids(block, path, homes)
            yield block


def _check_ids(block: Documents, path: Path, homes: dict[str, Path]) -> None:
    from satc.errors import DataError

    for identity in block.ids:
        if (first := homes.setdefault(identity, path)) != path:
            raise DataError(
                f"{path}: ids must differ from those of {first}, but {identity!r} is in both; "
                "write a file of vectors for each"
            )


def _blocks(path: Path, columns: Columns) -> Iterator[Documents]:
    """Read a file in blocks; rows that cannot be used are reported together."""
    from satc.embeddings.vectors import BLOCK_TEXTS
    from satc.files import iter_documents
    from satc.files.faults import Faults

    faults = Faults(path)
    yield from iter_documents(
        path,
        batch_size=BLOCK_TEXTS,
        id_column=columns.id_column,
        text_column=columns.text_column,
        labels_column=None,
        on_fault=faults,
    )
    faults.check()


def _say_counts(embedder: Embedder) -> None:
    """Say what is special about some of the documents."""
    from satc.cli.show import say

    counts = embedder.counts
    if counts.n_cached:
        say(f"{counts.n_cached:,} vectors came from the cache")
    if counts.n_cut:
        limit = embedder.folder.max_tokens
        longest = f" ({limit} tokens)" if limit else ""
        say(
            f"{counts.n_cut:,} documents are longer than the model reads{longest}: they were cut "
            "into passages, and have the mean of their vectors"
        )
    if counts.n_empty:
        say(f"warning: {counts.n_empty:,} documents have no words, so their vectors are zeros")
