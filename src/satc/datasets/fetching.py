"""Bring the files of a dataset into the data home: all of them, checked, or nothing.

What arrives is read with the dataset's own reader and its documents are counted before it is moved
to its place, in one step. So a damaged, cut off or foreign archive never stands where `load` looks.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from satc.datasets.dataset import parts
from satc.datasets.download import Progress, UnreachableError, download, forget
from satc.datasets.home import PathLike, find, writable
from satc.datasets.loading import READERS
from satc.datasets.registry import ENTRIES, SOURCES, Source
from satc.errors import DataError, MissingExtraError
from satc.files.atomic import atomic_file
from satc.inputs import choice


def fetch(
    name: str,
    *,
    data_home: PathLike | None = None,
    source: PathLike | None = None,
    progress: Progress | None = None,
) -> Path:
    """Bring the files of a dataset, unless they are in the data home already.

    Parameters
    ----------
    name
        One of `satc.datasets.names`.
    data_home
        Directory to keep the file in; else what ``SATC_DATA`` names, else the user's cache.
    source
        An archive that you have, to be taken instead of a download.
    progress
        Called with the bytes that have arrived and, where known, the bytes to come in all.

    Returns
    -------
    Where the file is.

    Raises
    ------
    satc.errors.DataError
        If no public home has it, the connection was cut (fetch again to continue), or what arrived
        is not the dataset.
    """
    collection = SOURCES[choice(name, ENTRIES, "name").source]
    directory = writable(data_home)
    if source is not None:
        return _take(collection, Path(source).expanduser(), directory)
    present = _present(collection, data_home)
    if present is not None:
        return present
    if collection.package is not None:
        raise MissingExtraError(f"the dataset {collection.name}", "demo")
    return _download(collection, _made(directory), progress)


def check(collection: Source, paths: tuple[Path, ...]) -> None:
    """Read files with the collection's reader and count what is in them."""
    path = paths[0]
    split = READERS[collection.name](paths)
    _must_hold(path, "records", collection.records, split.records)
    entry = ENTRIES[collection.name]
    if entry.verified:
        train, _ = parts(split)
        _must_hold(path, "training documents", entry.train, len(split.train))
        _must_hold(path, "test documents", entry.test, len(split.test))
        _must_hold(path, "classes", entry.classes, len(train.classes))


def _must_hold(path: Path, what: str, wanted: int, found: int) -> None:
    if found != wanted:
        raise DataError(f"{path} must hold {wanted:,} {what}, but holds {found:,}")


def _present(collection: Source, data_home: PathLike | None) -> Path | None:
    """Return where `load` finds the files; damaged ones that we may replace are as good as none."""
    try:
        paths = find(collection, data_home)
    except DataError:
        return None
    try:
        check(collection, paths)
    except DataError:
        if paths[0].parent == writable(data_home):
            return None
        raise
    return paths[0]


def _take(collection: Source, path: Path, directory: Path) -> Path:
    check(collection, (path,))
    target = _made(directory) / _kept_as(collection, path.name)
    if target.exists() and target.samefile(path):
        return target
    try:
        with atomic_file(target) as temporary:
            shutil.copyfile(path, temporary)
    except OSError as error:
        raise DataError(f"{path} cannot be copied to {target}: {error.strerror}") from error
    return target


def _kept_as(collection: Source, name: str) -> str:
    """Choose the name that `load` looks for: the file's own, or the one with its ending."""
    names = [alternative[0] for alternative in collection.files if len(alternative) == 1]
    same_ending = (known for known in names if name.endswith(known[known.index(".") :]))
    return name if name in names else next(same_ending, names[0])


def _download(collection: Source, directory: Path, progress: Progress | None) -> Path:
    failures = []
    for url in collection.urls:
        target = directory / _kept_as(collection, url.rsplit("/", 1)[-1])
        try:
            part = download(url, target, progress)
        except UnreachableError as error:
            failures.append(str(error))
            continue
        return _accept(collection, url, part, target)
    raise DataError(
        f"no public home of {collection.name} has it now: {'; '.join(failures)}. If you have the "
        f"archive: satc datasets fetch {collection.name} --from FILE"
    )


def _accept(collection: Source, url: str, part: Path, target: Path) -> Path:
    try:
        check(collection, (part,))
    except DataError as error:
        forget(target)
        raise DataError(f"what came from {url} is not {collection.title}: {error}") from error
    os.replace(part, target)
    forget(target)
    return target


def _made(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{directory} cannot be made: {error.strerror}") from error
    return directory
