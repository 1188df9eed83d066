"""Read packed files and the members of archives as streams.

Archives come from the network and may be cut off, damaged or hostile. So no name in an archive ever
becomes a path; every error is a `DataError` that names the file; a file is read to its end, where
the checksum is; and nothing unpacks to more than a limit.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from satc.errors import DataError

UNPACKED_LIMIT = 1 << 31  # bytes; OHSUMED, the largest known dataset, has a fifth of that
_CHUNK = 1 << 20

_DAMAGE = (
    EOFError,
    gzip.BadGzipFile,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # by zipfile, for a member that is encrypted or packed in an unknown way
)
_UNPACKERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_ZIP = b"PK\x03\x04"

Wanted = Callable[[str], bool]
Members = Iterator[tuple[str, IO[bytes]]]


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """Turn errors of decompressors and of the file system into a `DataError` that names the file.

    >>> with reading_errors(Path("a.gz")):
    ...     raise EOFError("no end marker")
    Traceback (most recent call last):
    ...
    satc.errors.DataError: a.gz is damaged or cut off: no end marker
    """
    try:
        yield
    except _DAMAGE as error:
        raise DataError(f"{path} is damaged or cut off: {error}") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


@contextmanager
def open_unpacked(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading; a gzip, bzip2 or xz file is unpacked on the way."""
    with reading_errors(path), ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        yield _unpacked(path, file, stack)


def members(path: Path, wanted: Wanted) -> Members:
    """Yield name and content of the wanted members of a tar or zip archive.

    Read the content before you ask for the next member. A tar archive inside a zip archive, as the
    UCI repository packs them, is opened too.
    """
    with reading_errors(path), ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        if _head(file).startswith(_ZIP):
            yield from _zip_members(path, file, wanted)
        else:
            yield from _tar_members(path, _unpacked(path, file, stack), wanted)


class ZipMembers:
    """The members of an open zip archive, by their names."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path = path
        self._archive = archive
        self.names = frozenset(archive.namelist())

    def open(self, name: str) -> IO[bytes]:
        """Open a member; its content is limited, and its errors name the file."""
        if name not in self.names:
            raise DataError(f"{self._path} is damaged or cut off: its part {name!r} is not there")
        with reading_errors(self._path):
            return _limited(self._path, self._archive.open(name))


@contextmanager
def open_zip(path: Path) -> Iterator[ZipMembers]:
    """Open a zip archive whose members are read in any order."""
    with reading_errors(path), path.open("rb") as file, zipfile.ZipFile(file) as archive:
        yield ZipMembers(path, archive)


def _tar_members(path: Path, file: IO[bytes], wanted: Wanted) -> Members:
    try:
        archive = tarfile.open(fileobj=file, mode="r|")  # noqa: SIM115 (closed below)
    except tarfile.ReadError as error:
        raise DataError(f"{path} must be a tar or zip archive, but is neither: {error}") from error
    with archive:
        for member in archive:
            content = archive.extractfile(member) if wanted(member.name) else None
            if content is not None:  # None for directories and links
                yield member.name, _limited(path, content)
    while file.read(_CHUNK):  # the checksum is at the end
        pass


def _zip_members(path: Path, file: IO[bytes], wanted: Wanted) -> Members:
    with zipfile.ZipFile(file) as archive, ExitStack() as stack:
        for name in archive.namelist():
            if wanted(name):
                yield name, _limited(path, stack.enter_context(archive.open(name)))
            elif name.endswith((".tar.gz", ".tgz")):
                inner = stack.enter_context(archive.open(name))
                yield from _tar_members(path, _unpacked(path, inner, stack), wanted)


def _unpacked(path: Path, file: IO[bytes], stack: ExitStack) -> io.BufferedReader:
    head = _head(file)
    for magic, unpacker in _UNPACKERS.items():
        if head.startswith(magic):
            return _limited(path, stack.enter_context(unpacker(file)))
    return _limited(path, file)


def _head(file: IO[bytes]) -> bytes:
    head = file.read(8)
    file.seek(0)
    return head


def _limited(path: Path, content: IO[bytes]) -> io.BufferedReader:
    return io.BufferedReader(_Limited(path, content), _CHUNK)


class _Limited(io.RawIOBase):
    """A stream that raises beyond the limit; its errors name the file.

    Members are read outside of the generator that yields them, where its `reading_errors` has no
    effect; so the stream has its own.
    """

    def __init__(self, path: Path, content: IO[bytes]) -> None:
        self._path = path
        self._content = content
        self._left = UNPACKED_LIMIT

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with reading_errors(self._path):
            data = self._content.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise DataError(f"{self._path} unpacks to more than {UNPACKED_LIMIT:,} bytes")
        buffer[: len(data)] = data
        return len(data)
