"""Arrays in the formats of NumPy and SciPy, which somebody else may have written.

Nothing is unpickled. SciPy does not check the indices of a stored sparse matrix, and its loops as
well as ours read and write other memory if one is out of range; so they are checked here.
"""

from __future__ import annotations

import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from satc.errors import DataError
from satc.files.archives import UNPACKED_LIMIT

# Errors of NumPy, SciPy and zipfile for files that they did not write.
_UNREADABLE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def array_errors(name: object) -> Iterator[None]:
    """Turn all errors of NumPy, SciPy and zipfile into a `DataError` that begins with the name.

    >>> with array_errors("s.npy"):
    ...     raise ValueError("no header")
    Traceback (most recent call last):
    satc.errors.DataError: s.npy cannot be read as a NumPy file: no header
    """
    try:
        yield
    except _UNREADABLE as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise DataError(f"{name} cannot be read as a NumPy file: {reason}") from error


def load_array(file: BinaryIO, name: object) -> Any:
    """Load an array, a sparse matrix, or an archive of several arrays, which stays open.

    Raises
    ------
    DataError
        If the content is none of these, or damaged; the message begins with the name.
    """
    with array_errors(name):
        if not file.read(6).startswith((b"\x93NUMPY", b"PK")):
            raise DataError(f"{name} must be a NumPy file, but is none")
        file.seek(0)
        loaded = _load(file)
        if isinstance(loaded, np.ndarray):
            return loaded
        _check_size(loaded.zip, name)
        return _load_sparse(file) if "format" in loaded else loaded


def _load(file: BinaryIO) -> Any:
    """Load a NumPy file; NumPy's advice about headers of Python 2 is nothing for the user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return np.load(file, allow_pickle=False)


def _check_size(archive: zipfile.ZipFile, name: object) -> None:
    """Refuse an archive whose packed members unpack to too much; stored members need no check."""
    packed = (one for one in archive.infolist() if one.compress_type != zipfile.ZIP_STORED)
    if sum(one.file_size for one in packed) > UNPACKED_LIMIT:
        raise DataError(f"{name} must unpack to at most {UNPACKED_LIMIT:,} bytes, but is larger")


def _load_sparse(file: BinaryIO) -> Any:
    from scipy import sparse

    file.seek(0)
    matrix = sparse.load_npz(file)
    if hasattr(matrix, "check_format"):  # SciPy checks the other formats when it loads them
        matrix.check_format(full_check=True)
    return matrix
