"""The task of the files that a command was given, and the line that says it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from satc.cli.options import ColumnOptions
from satc.inputs import SINGLE_LABEL
from satc.texts.wanted_task import WantedTask

if TYPE_CHECKING:
    from satc.inputs import Labels


def say_task(labels: Labels, task: str, wanted: WantedTask) -> None:
    """Say which task was found, unless the user has named it."""
    from satc.cli.show import say
    from satc.files.tasks import describe_task

    if not wanted.is_named and (line := describe_task(labels, task)) is not None:
        say(line)


def task_of_labels(
    path: Path | None, labels: Labels | None, wanted: WantedTask, columns: ColumnOptions
) -> str:
    """Return the task of training labels that have been read, and say it."""
    from satc.files.tasks import find_task

    if path is None or labels is None:
        return wanted.without_labels
    names = columns.names().as_dict()
    task = find_task(path, labels, wanted.task, wanted.none_class, **names)
    say_task(labels, task, wanted)
    return task


def task_of_files(
    oof_scores: Path | None, train_labels: Path | None, wanted: WantedTask, columns: ColumnOptions
) -> str:
    """Read the training labels, return their task, and say it."""
    from satc.files import read_training

    if oof_scores is None or train_labels is None:
        return wanted.without_labels
    names = columns.names().as_dict()
    known = read_training(oof_scores, train_labels, None, wanted.none_class, **names)
    return task_of_labels(train_labels, known.labels, wanted, columns)


def task_of_simulation(
    read: Mapping[Path | None, Labels | None], wanted: WantedTask, **columns: Any
) -> str:
    """Return the one task of true labels and training labels, by file, and say it."""
    from satc.files.tasks import find_task, suggested_task

    given = {path: labels for path, labels in read.items() if path and labels is not None}
    every = np.concatenate(list(given.values()))
    task = wanted.task or (suggested_task(every) if wanted.none_class is None else SINGLE_LABEL)
    for path, labels in given.items():
        find_task(path, labels, task, wanted.none_class, **columns)
    say_task(every, task, wanted)
    return task
