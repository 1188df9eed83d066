"""The documents that `satc compare` compares orders of, for each seed.

They come from a dataset, from texts with labels, from predictions, or from scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from satc.cli.option_checks import required
from satc.cli.progress import counted, steps
from satc.cli.show import say

if TYPE_CHECKING:
    from satc.cli.score_files import ScoreFiles
    from satc.experiments.comparison.contenders import KnownSet
    from satc.inputs import Labels
    from satc.texts.learner_source import LearnerSource

_HELD_OUT = 3  # every third labelled document is held out, if no other documents are given


@dataclass(frozen=True)
class ComparedSets:
    """Documents with true labels, once for each seed, and facts about them for the page."""

    sets: Sequence[KnownSet]
    about: dict[str, str]


def from_dataset(
    name: str,
    learner: str,
    seeds: Sequence[int],
    data_home: Path | None,
    cache: Path | None,
    jobs: int,
) -> ComparedSets:
    """Return the test documents of a dataset, with the scores of a learner of the paper."""
    from satc.datasets.home import user_cache
    from satc.datasets.loading import load
    from satc.datasets.registry import ENTRIES
    from satc.experiments.comparison.sets import dataset_sets
    from satc.inputs import choice
    from satc.learners.presets import LEARNERS

    found = choice("svm" if learner == "auto" else learner, LEARNERS, "with --dataset, learner")
    choice(name, ENTRIES, "dataset")
    if learner == "auto":
        say(
            "note: with --dataset the learner is one of the paper, here svm, which counts English "
            "words: give the files with --train and --documents for the default learner"
        )
    dataset = load(name, data_home=data_home)
    folder = cache or user_cache() / "scores"
    with counted(f"{name}, {found.title}: training") as progress:
        sets = dataset_sets(dataset, found, folder, seeds, n_jobs=jobs, progress=progress)
    if len(dataset.tests) > 1:
        say(
            f"note: the {len(dataset.test):,} test documents of {name} are compared as one set; "
            "only 'satc reproduce' uses its parts"
        )
    about = {
        "data": f"{dataset.name}, {dataset.source}",
        "terms of use": dataset.licence,
        "training documents": f"{len(dataset.train):,}",
        "classes": f"{len(dataset.classes):,}",
        "classifier": found.title,
    }
    return ComparedSets(sets, about)


def from_scores(
    files: ScoreFiles, truth: Labels, task: str, seeds: Sequence[int], path: Path
) -> ComparedSets:
    """Return documents whose scores were made elsewhere; a seed is that of the calibrator."""
    from satc.experiments.comparison.contenders import KnownSet

    if not files.is_trained:
        raise typer.BadParameter(
            "training documents are needed: --oof-scores with --train-labels, or --predictions "
            "with --known"
        )
    sets = [KnownSet(files.scores, truth, files.training, task, seed) for seed in seeds]
    return ComparedSets(sets, {"data": path.name, "classes": f"{truth.shape[1]:,}"})


def from_texts(source: LearnerSource, held_out: Path | None, seeds: Sequence[int]) -> ComparedSets:
    """Train a learner on labelled texts, and classify others, whose true labels are known.

    Without a second file, each seed holds out a random third of the labelled documents.
    """
    from satc.texts.labelled import read_labelled

    labelled = read_labelled(source)
    sets = []
    with steps() as progress:
        for seed in seeds:
            here, test = replace(source, seed=seed, labelled=labelled), None
            if held_out is None:
                train, test = _split(labelled, seed)
                here = replace(here, labelled=train)
            sets.append(_classified(here, test or _read(source, held_out), progress))
    about = {
        "data": source.train.name,
        "labelled documents": f"{len(labelled.documents):,}",
        "classes": f"{len(labelled.documents.classes):,}",
        "classifier": source.learner,
    }
    return ComparedSets(sets, about)


def _read(source: LearnerSource, path: Path | None) -> Any:
    """Return the documents of the second file, which must have labels."""
    from satc.errors import DataError
    from satc.files import read_documents

    file = required(path, "--documents")
    documents = read_documents(file, **source.columns.as_dict())
    documents = documents.with_none_class(source.wanted.none_class)
    if documents.labels is None:
        name = source.columns.labels_column
        raise DataError(f"{file} must have the column {name!r} with true labels, but has none")
    return documents


def _split(labelled: Any, seed: int) -> tuple[Any, Any]:
    """Hold out a random third of the labelled documents, but none with a label of its own."""
    import numpy as np

    from satc.inputs import indicator

    n = len(labelled.documents)
    is_kept = np.ones(n, dtype=bool)
    is_kept[np.random.default_rng(seed).permutation(n)[::_HELD_OUT]] = False
    learnt = labelled.labels[is_kept].any(axis=0)
    is_kept |= (labelled.labels & ~learnt).any(axis=1)
    kept, held_out = (labelled.documents.at(np.flatnonzero(one)) for one in (is_kept, ~is_kept))
    labels = indicator(kept.labels or (), kept.classes)
    return labelled._replace(documents=kept, labels=labels), held_out


def _classified(source: LearnerSource, test: Any, progress: Any) -> KnownSet:
    from satc.experiments.comparison.contenders import KnownSet
    from satc.inputs import indicator
    from satc.texts.source import training_arguments

    trained = source.prepare(progress)
    progress(f"classifying {len(test):,} documents")
    block = trained.classify(test)
    truth = indicator(test.labels, trained.classes, drop_unknown=True)
    _check_known(truth, test, trained.task)
    known = training_arguments(trained.training, block.features)
    return KnownSet(block.scores, truth, known, trained.task, source.seed)


def _check_known(truth: Labels, test: Any, task: str) -> None:
    """Refuse documents of a class that no training document has, where each has one label."""
    from satc.errors import DataError
    from satc.inputs import SINGLE_LABEL

    if task == SINGLE_LABEL and not truth.any(axis=1).all():
        i = int((~truth.any(axis=1)).argmax())
        raise DataError(
            f"document {test.ids[i]!r} has the label {', '.join(test.labels[i])!r}, but no "
            "labelled document has it"
        )
