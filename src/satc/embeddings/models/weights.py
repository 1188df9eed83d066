"""The weights of a model: named arrays in a ``.safetensors`` file, or in several with an index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError

Array = NDArray[np.float32]
FILE = "model.safetensors"


class Weights:
    """Named arrays, read one by one. `prefix` stands before all names, as in ``bert.``."""

    def __init__(self, path: Path, files: list[Any], prefix: str = "") -> None:
        self.path = path
        self.prefix = prefix
        self._homes = {name: file for file in files for name in file.keys()}  # noqa: SIM118

    def with_prefix_of(self, name: str) -> Weights:
        """Return the same weights, with the prefix that stands before this name."""
        found = min((one for one in self._homes if one.endswith(name)), key=len, default=name)
        other = Weights(self.path, [], found.removesuffix(name))
        other._homes = self._homes
        return other

    def __contains__(self, name: str) -> bool:
        return self.prefix + name in self._homes

    def __getitem__(self, name: str) -> Array:
        if name not in self:
            raise DataError(f"{self.path} must hold the weights {name!r}, but does not")
        try:
            array = self._homes[self.prefix + name].get_tensor(self.prefix + name)
        except (TypeError, ValueError, AttributeError) as error:
            raise DataError(f"{self.path}: the weights {name!r} cannot be read: {error}") from error
        return np.ascontiguousarray(array, dtype=np.float32)


@contextmanager
def open_weights(folder: Path) -> Iterator[Weights]:
    """Open the weights of a folder; they are closed at the end of the block."""
    from safetensors import SafetensorError, safe_open

    with ExitStack() as stack:
        try:
            files = [stack.enter_context(safe_open(path, "numpy")) for path in _files(folder)]
        except (SafetensorError, OSError) as error:
            raise DataError(f"{folder / FILE} cannot be read: {error}") from error
        yield Weights(folder / FILE, files)


def has_weights(folder: Path) -> bool:
    """Whether the folder has weights that satc reads."""
    return (folder / FILE).is_file() or (folder / f"{FILE}.index.json").is_file()


def _files(folder: Path) -> list[Path]:
    index = folder / f"{FILE}.index.json"
    if (folder / FILE).is_file() or not index.is_file():
        return [folder / FILE]
    try:
        names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        return [folder / str(name) for name in sorted(names)]
    except (ValueError, KeyError, AttributeError) as error:
        raise DataError(f"{index} must name the files of the weights: {error!r}") from error
