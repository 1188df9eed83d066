"""`OpinionFile`: the files of an opinion, as an option of a command names them.

This module loads nothing, so that the command line can check the option at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

EXAMPLE = "llm=labels.csv, or other=scores.parquet,oof.parquet"


class OpinionFile(NamedTuple):
    """The name of an opinion, its file and, where there is one, that of training documents."""

    name: str
    documents: Path
    training: Path | None = None

    def __str__(self) -> str:
        files = [str(path) for path in (self.documents, self.training) if path is not None]
        return f"--opinion {self.name}={','.join(files)}"


def parse_opinion(text: str) -> OpinionFile:
    """Read the value of ``--opinion``.

    >>> str(parse_opinion("other=scores.parquet,oof.parquet"))
    '--opinion other=scores.parquet,oof.parquet'
    >>> parse_opinion("labels.csv")
    Traceback (most recent call last):
    ...
    ValueError: --opinion must be NAME=FILE or NAME=FILE,FILE_OF_TRAINING_DOCUMENTS, as in \
llm=labels.csv, or other=scores.parquet,oof.parquet, but is 'labels.csv'
    """
    from satc.files.formats.xlsx.positions import split_sheet  # loads NumPy

    name, _, files = (part.strip() for part in text.partition("="))
    is_one = split_sheet(Path(files))[0].is_file()
    parts = [files] if is_one else [part.strip() for part in files.split(",")]
    if not name or not all(parts) or len(parts) > 2:
        raise ValueError(
            "--opinion must be NAME=FILE or NAME=FILE,FILE_OF_TRAINING_DOCUMENTS, as in "
            f"{EXAMPLE}, but is {text!r}"
        )
    return OpinionFile(name, *map(Path, parts))


def parse_opinions(texts: Iterable[str]) -> tuple[OpinionFile, ...]:
    """Read all values of ``--opinion``; each must have another name."""
    found: dict[str, OpinionFile] = {}
    for text in texts:
        one = parse_opinion(text)
        if one.name in found:
            raise ValueError(
                f"every --opinion must have a name of its own, but two are called {one.name!r}"
            )
        found[one.name] = one
    return tuple(found.values())
