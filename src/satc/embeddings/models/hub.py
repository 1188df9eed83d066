"""Models of the Hugging Face hub, by name: from its cache on this machine, else downloaded.

This is the only module outside `satc.datasets` that downloads. ``HF_HOME`` moves the cache, and
``HF_HUB_OFFLINE=1`` forbids downloads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from satc.errors import DataError

OWNER = "sentence-transformers"  # of names without an owner
_FILES = ["*.json", "*model*.safetensors"]
_OTHERS = ["onnx/*", "openvino/*"]  # further forms of the same weights
_EXPORTED = ["*.json", "onnx/model.onnx", "onnx/model.onnx_data"]


def hub_folder(name: str) -> Path:
    """Return the folder of a model in the cache of the hub; download it if it is not there."""
    repository = name if "/" in name else f"{OWNER}/{name}"
    found = _cached(repository)
    return found if found is not None else _downloaded(repository)


def _cached(repository: str) -> Path | None:
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = _snapshot(repository, _FILES, local_files_only=True)
    except LocalEntryNotFoundError:
        return None
    except HFValidationError as error:
        raise ValueError(
            "model must be a folder, or a name such as 'all-MiniLM-L6-v2' or 'owner/name', but is "
            f"{repository.removeprefix(OWNER + '/')!r}: {error}"
        ) from error
    return folder if _is_complete(folder) else None


def _downloaded(repository: str) -> Path:
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        for files in (_FILES, _EXPORTED):
            folder = _snapshot(repository, files)
            if _is_complete(folder):
                return folder
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(_refusal(repository, reason)) from error
    raise DataError(_refusal(repository, "it has no weights or no tokenizer.json that satc reads"))


def _refusal(repository: str, reason: str) -> str:
    return (
        f"the model {repository} is not in the cache of this machine and cannot be downloaded "
        f"({reason}); the folder of a model or a file of vectors works without a network"
    )


def _snapshot(repository: str, files: list[str], **options: Any) -> Path:
    from huggingface_hub import snapshot_download

    ignored = _OTHERS if files is _FILES else None
    found = snapshot_download(repository, allow_patterns=files, ignore_patterns=ignored, **options)
    return Path(found)


def _is_complete(folder: Path) -> bool:
    """Whether an earlier download was not interrupted: the parts that every model has are there."""
    weights = any(folder.glob("**/*model*.safetensors")) or any(folder.glob("onnx/*.onnx"))
    return weights and any(folder.glob("**/tokenizer.json"))
