"""Download the files of a dataset into the data directory: complete and checked, or not at all.

A downloaded archive is read with the dataset's own reader, and its documents are counted, before it
is renamed to the name that `load` reads. So `load` never finds a damaged, cut off or wrong archive.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from satc.datasets.dataset import train_and_test
from satc.datasets.download import Progress, UnreachableError, download, remove_part
from satc.datasets.home import PathLike, find, target_directory
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
    """Download the files of a dataset, unless they are there already.

    Parameters
    ----------
    name
        One of `satc.datasets.names`.
    data_home
        The directory for the file; without it, the one that ``SATC_DATA`` names, else the user's
        cache.
    source
        An archive that you have already; it is copied instead of a download.
    progress
        Called with the number of bytes that have arrived and, where known, the size of the file.

    Returns
    -------
    The path of the file.

    Raises
    ------
    satc.errors.DataError
        If no public server has the file, if the connection was cut (fetch again to continue), or
        if the file does not hold the dataset.
    """
    collection = SOURCES[choice(name, ENTRIES, "name").source]
    directory = target_directory(data_home)
    if source is not None:
        return _copy(collection, Path(source).expanduser(), directory)
    existing = _find_sound(collection, data_home)
    if existing is not None:
        return existing
    if collection.package is not None:
        raise MissingExtraError(f"the dataset {collection.name}", "demo")
    if not collection.urls:
        raise DataError(
            f"{collection.name} has no address to download from: {collection.homepage} has the "
            f"data; put {' and '.join(collection.files[0])} into {directory}"
        )
    return _download(collection, _make_directory(directory), progress)


def check(collection: Source, paths: tuple[Path, ...]) -> None:
    """Read files with the collection's reader and compare their counts with the expected ones."""
    path = paths[0]
    split = READERS[collection.name](paths)
    _must_hold(path, "records", collection.records, split.records)
    entry = ENTRIES[collection.name]
    if entry.verified:
        train, _ = train_and_test(split)
        _must_hold(path, "training documents", entry.train, len(split.train))
        _must_hold(path, "test documents", entry.test, len(split.test))
        _must_hold(path, "classes", entry.classes, len(train.classes))


def _must_hold(path: Path, what: str, wanted: int, found: int) -> None:
    if found != wanted:
        raise DataError(f"{path} must hold {wanted:,} {what}, but holds {found:,}")


def _find_sound(collection: Source, data_home: PathLike | None) -> Path | None:
    """Return the path of the files, or None if they are missing or may be replaced.

    Damaged files may be replaced if they are in the directory into which `fetch` writes.
    """
    try:
        paths = find(collection, data_home)
    except DataError:
        return None
    try:
        check(collection, paths)
    except DataError:
        if paths[0].parent == target_directory(data_home):
            return None
        raise
    return paths[0]


def _copy(collection: Source, path: Path, directory: Path) -> Path:
    check(collection, (path,))
    target = _make_directory(directory) / _stored_name(collection, path.name)
    if target.exists() and target.samefile(path):
        return target
    try:
        with atomic_file(target) as temporary:
            shutil.copyfile(path, temporary)
    except OSError as error:
        raise DataError(f"{path} cannot be copied to {target}: {error.strerror}") from error
    return target


def _stored_name(collection: Source, name: str) -> str:
    """Return a name that `load` looks for: the file's own name, or one with the same ending."""
    names = [alternative[0] for alternative in collection.files if len(alternative) == 1]
    same_ending = (known for known in names if name.endswith(known[known.index(".") :]))
    return name if name in names else next(same_ending, names[0])


def _download(collection: Source, directory: Path, progress: Progress | None) -> Path:
    failures = []
    for url in collection.urls:
        target = directory / _stored_name(collection, url.rsplit("/", 1)[-1])
        try:
            part = download(url, target, progress)
        except UnreachableError as error:
            failures.append(str(error))
            continue
        return _check_and_rename(collection, url, part, target)
    raise DataError(
        f"no public server has {collection.name} now: {'; '.join(failures)}. If you have the "
        f"archive: satc datasets fetch {collection.name} --from FILE"
    )


def _check_and_rename(collection: Source, url: str, part: Path, target: Path) -> Path:
    try:
        check(collection, (part,))
    except DataError as error:
        remove_part(target)
        raise DataError(f"the file from {url} is not {collection.title}: {error}") from error
    os.replace(part, target)
    remove_part(target)
    return target


def _make_directory(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{directory} cannot be created: {error.strerror}") from error
    return directory
