"""Load a dataset by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from satc.datasets import banking77, brighter, medline, ohsumed, ohsumed20k, reuters21578
from satc.datasets.dataset import (
    Dataset,
    Part,
    Split,
    random_parts,
    train_and_test,
    with_one_label,
)
from satc.datasets.home import PathLike, find
from satc.datasets.registry import ENTRIES, LANGUAGES, SEED, SOURCES
from satc.inputs import choice

READERS: dict[str, Callable[[tuple[Path, ...]], Split]] = {
    "reuters21578": reuters21578.read,
    "ohsumed": ohsumed.read,
    "ohsumed20k": ohsumed20k.read,
    "medline": medline.read,
    "banking77": banking77.read,
    **{f"brighter-{language}": brighter.read for language in LANGUAGES},
}


def load(name: str, *, data_home: PathLike | None = None) -> Dataset:
    """Load a dataset.

    Parameters
    ----------
    name
        One of `satc.datasets.names`, such as ``"reuters21578"``.
    data_home
        The directory with the files; `satc.datasets.home` lists the directories that are searched
        without it.

    Raises
    ------
    ValueError
        If there is no dataset of that name.
    satc.errors.DataError
        If its files are missing or damaged.
    """
    entry = choice(name, ENTRIES, "name")
    source = SOURCES[entry.source]
    split = READERS[source.name](find(source, data_home))
    if entry.one_label:
        split = with_one_label(split, entry.only)
    train, test = train_and_test(split)
    if entry.labelled_only:
        train, test = _labelled(train), _labelled(test)
    return Dataset(
        name=entry.name,
        classes=train.classes,
        train=train,
        test=test,
        tests=(test,) if entry.n_parts == 1 else random_parts(test, entry.n_parts, SEED),
        licence=source.licence,
        source=source.homepage,
    )


def _labelled(part: Part) -> Part:
    return part.take(np.flatnonzero(part.labels.any(axis=1)))
