"""A model folder: the files of a sentence-transformers model, and what they say about it.

``config.json`` describes the network, ``modules.json`` the steps from tokens to a vector,
``sentence_bert_config.json`` the longest input. A folder without ``modules.json`` holds a plain
network; its tokens are averaged, as sentence-transformers does.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satc.errors import DataError

STATIC = "static"  # the kind of a model whose tokens have fixed vectors
ENGINE = "satc 1"  # changes when the same model gives other vectors than before
_STEPS = ("Transformer", "Pooling", "Dense", "Normalize", "StaticEmbedding", "Dropout")
_WEIGHTS = (".safetensors", ".onnx", ".onnx_data")


@dataclass(frozen=True)
class ModelFolder:
    """What a folder says about its model.

    Attributes
    ----------
    name
        What the user called the model.
    path
        The folder of the network and its tokenizer.
    kind
        The architecture, as ``model_type`` in the configuration; `STATIC` for static models.
    config
        The configuration of the network.
    pooling
        How the vectors of the tokens become one: names as in `satc.embeddings.models.pooling`.
    dense
        The folders of the layers that follow the pooling.
    max_tokens
        The longest input that the folder names, special tokens included; None where it names none.
    lower_case
        Whether texts must be in lower case before they are tokenised.
    prompt
        Text that the model expects before every text.
    fingerprint
        A digest of the files that a vector depends on.
    """

    name: str
    path: Path
    kind: str
    config: dict[str, Any]
    pooling: tuple[str, ...]
    dense: tuple[Path, ...]
    max_tokens: int | None
    lower_case: bool
    prompt: str
    fingerprint: str


def read_model_folder(path: Path, name: str | None = None) -> ModelFolder:
    """Read what a folder says about its model."""
    name = name or str(path)
    steps = _steps(path)
    network = path / steps.get("StaticEmbedding", steps.get("Transformer", [""]))[0]
    config = _json(network / "config.json")
    kind = STATIC if _is_static(steps, config) else str(config.get("model_type", ""))
    if not (network / "tokenizer.json").is_file():
        raise DataError(
            f"{path} must be the folder of a sentence-transformers model, but has no tokenizer.json"
        )
    limits = _json(network / "sentence_bert_config.json")
    longest = limits.get("max_seq_length")
    return ModelFolder(
        name=name,
        path=network,
        kind=kind,
        config=config,
        pooling=_pooling(path, steps),
        dense=tuple(path / one for one in steps.get("Dense", ())),
        max_tokens=_max_tokens(longest, _json(network / "tokenizer_config.json")),
        lower_case=bool(limits.get("do_lower_case")),
        prompt=_prompt(_json(path / "config_sentence_transformers.json")),
        fingerprint=_fingerprint(path),
    )


def _json(path: Path) -> dict[str, Any]:
    """Return the content of a file; an absent one is empty."""
    found = _any_json(path, {})
    if not isinstance(found, dict):
        raise DataError(f"{path} must hold a JSON object, but holds {type(found).__name__}")
    return found


def _any_json(path: Path, absent: Any) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return absent
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} must hold JSON, but does not: {error}") from error


def _steps(path: Path) -> dict[str, list[str]]:
    """Return the subfolders of each kind of step, in order."""
    steps: dict[str, list[str]] = {}
    for step in _any_json(path / "modules.json", []):
        kind = str(step.get("type", "")).rpartition(".")[2]
        if kind not in _STEPS:
            raise DataError(
                f"{path / 'modules.json'}: satc knows the steps {', '.join(_STEPS)}, but the model "
                f"has {kind!r}; make the vectors elsewhere and give the file of vectors instead"
            )
        steps.setdefault(kind, []).append(str(step.get("path", "")))
    return steps


def _is_static(steps: dict[str, list[str]], config: dict[str, Any]) -> bool:
    return "StaticEmbedding" in steps or config.get("model_type") == "model2vec"


def _pooling(path: Path, steps: dict[str, list[str]]) -> tuple[str, ...]:
    if "Pooling" not in steps:
        return ("mean",)
    config = _json(path / steps["Pooling"][0] / "config.json")
    if isinstance(given := config.get("pooling_mode"), str):
        return tuple(given.split("+"))
    prefix = "pooling_mode_"
    modes = [key.removeprefix(prefix) for key, on in config.items() if on and prefix in key]
    return tuple(mode.removesuffix("_tokens").removesuffix("_token") for mode in modes) or ("mean",)


def _max_tokens(longest: Any, tokenizer: dict[str, Any]) -> int | None:
    """Return the longest input; tokenizers without a limit name an enormous number."""
    given = longest if longest is not None else tokenizer.get("model_max_length")
    if isinstance(given, int | float) and 2 < given < 1_000_000:
        return int(given)
    return None


def _prompt(config: dict[str, Any]) -> str:
    name = config.get("default_prompt_name")
    return str((config.get("prompts") or {}).get(name, "")) if name else ""


def _fingerprint(path: Path) -> str:
    """Return a digest of the configuration, the tokenizer and the weights."""
    total = hashlib.blake2b(ENGINE.encode(), digest_size=16)
    for file in sorted(path.rglob("*")):
        if file.suffix in (".json", *_WEIGHTS) and file.is_file():
            with file.open("rb") as stream:
                content = hashlib.file_digest(stream, "blake2b").digest()
            total.update(file.relative_to(path).as_posix().encode() + b"\0" + content)
    return total.hexdigest()
