"""Files of vectors: Parquet with ids, or NumPy's format, written block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from satc.embeddings.embedder import Embedder
from satc.embeddings.models.weights import Array
from satc.files.atomic import output_file

ENDINGS = (".parquet", ".npy")
VECTOR = "embedding"  # the column of vectors; that of ids is `id`

Write = Callable[[Sequence[str], Array], None]


@contextmanager
def vector_file(path: Path, embedder: Embedder, n_documents: int) -> Iterator[Write]:
    """Give a function that writes a block of ids and vectors.

    The file is complete when the block of code ends, or is not there. A Parquet file names the
    model and its fingerprint in its metadata.
    """
    if path.suffix not in ENDINGS:
        raise ValueError(f"path must end with {' or '.join(ENDINGS)}, but is {str(path)!r}")
    write = _parquet if path.suffix == ".parquet" else _numpy
    with output_file(path) as temporary, write(temporary, embedder, n_documents) as one:
        yield one


@contextmanager
def _parquet(path: Path, embedder: Embedder, n_documents: int) -> Iterator[Write]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = embedder.n_dimensions
    fields = [pa.field("id", pa.string()), pa.field(VECTOR, pa.list_(pa.float32(), n))]
    about = {"satc.model": embedder.folder.name, "satc.fingerprint": embedder.folder.fingerprint}
    schema = pa.schema(fields, metadata=about)
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=["id"]) as writer:

        def write(ids: Sequence[str], vectors: Array) -> None:
            flat = pa.array(np.ascontiguousarray(vectors).reshape(-1))
            column = pa.FixedSizeListArray.from_arrays(flat, n)
            writer.write(pa.record_batch([pa.array(ids, pa.string()), column], schema=schema))

        yield write


@contextmanager
def _numpy(path: Path, embedder: Embedder, n_documents: int) -> Iterator[Write]:
    shape = (n_documents, embedder.n_dimensions)
    array = np.lib.format.open_memmap(path, "w+", np.dtype(np.float32), shape)
    done = 0

    def write(ids: Sequence[str], vectors: Array) -> None:
        nonlocal done
        array[done : done + len(vectors)] = vectors
        done += len(vectors)

    yield write
    array.flush()
    if done != n_documents:
        raise ValueError(f"{n_documents:,} documents were expected, but {done:,} came")
