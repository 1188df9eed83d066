"""The contenders of a comparison: the labels of documents, and the order in which they are checked.

A contender is a method of satc, or an order that another program gave.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.decisions import own_labels
from satc.errors import PluginError, PluginWarning
from satc.experiments.comparison.shared_fit import SharedFit
from satc.inputs import MULTI_LABEL, Labels, Scores
from satc.ranking.methods import METHODS, PLUGINS, Method, parse_method
from satc.ranking.options import FOR_MEASURE, SIGN
from satc.ranking.preparation import prepare
from satc.simulation import simulate_documents

Order = NDArray[np.int64]
RANDOM = "random"
ORACLES = tuple(name for name, method in METHODS.items() if method.needs_truth)


class Case(NamedTuple):
    """A method, and how labels are decided on."""

    method: str
    decide: str

    def __str__(self) -> str:
        return f"{self.method}, {self.decide}"


@dataclass(frozen=True, eq=False)
class KnownSet:
    """Documents with scores and true labels, as one seed has them.

    Attributes
    ----------
    scores, y_true : arrays of shape (n_documents, n_classes)
    known : mapping
        What is known besides, as keyword arguments of `satc.rank`: the training side, features,
        opinions.
    task : str
    seed : int
    """

    scores: Scores
    y_true: Labels
    known: Mapping[str, Any]
    task: str = MULTI_LABEL
    seed: int = 0

    @property
    def own_labels(self) -> Labels:
        """The classifier's own labels."""
        return own_labels(self.scores, self.task)


@dataclass(frozen=True, eq=False)
class Contender:
    """The labels of documents, and the order in which people check them.

    Attributes
    ----------
    case : Case
    labels : bool array, documents x classes
    order : int array or None
        None for a random order, which is drawn anew in every resample.
    """

    case: Case
    labels: Labels
    order: Order | None = field(repr=False)


def all_cases(task: str, methods: Sequence[str] = (), decides: Sequence[str] = ()) -> list[Case]:
    """Return the cases to compare: by default all methods that fit the task, and both decisions.

    All methods are those of satc and of installed packages.
    """
    every = METHODS | PLUGINS.all()
    names = methods or [name for name, one in every.items() if _fits(one, task)]
    return [Case(name, how) for how in decides or (FOR_MEASURE, SIGN) for name in names]


def _fits(method: Method, task: str) -> bool:
    try:
        method.check_task(task)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class SeedRun:
    """One seed: its documents, and the contenders, in the same order for all seeds."""

    given: KnownSet
    contenders: Sequence[Contender]


def run_all(
    sets: Sequence[KnownSet],
    cases: Sequence[Case],
    *,
    measure: Any = "f1",
    average: str = "macro",
    progress: Callable[[int, int], None] | None = None,
    leave_out_failed: bool = False,
) -> list[SeedRun]:
    """Rank the documents of each seed by each method.

    `progress` is told how many orders are done, and how many there are. With `leave_out_failed`, a
    method of an installed package that fails is left out, with a warning.
    """
    runs = []
    failed: set[str] = set()
    for k, given in enumerate(sets):
        contenders = []
        for one in run_methods(
            given, cases, measure, average, failed if leave_out_failed else None
        ):
            contenders.append(one)
            if progress:
                progress(k * len(cases) + len(contenders), len(sets) * len(cases))
        runs.append(SeedRun(given, contenders))
    return [SeedRun(one.given, _without(one.contenders, failed)) for one in runs]


def _without(contenders: Sequence[Contender], methods: Collection[str]) -> list[Contender]:
    return [one for one in contenders if one.case.method not in methods]


def run_methods(
    given: KnownSet,
    cases: Iterable[Case],
    measure: Any = "f1",
    average: str = "macro",
    failed: set[str] | None = None,
) -> Iterator[Contender]:
    """Rank the documents by each method, and simulate those that learn on the way.

    If `failed` is given, a method of an installed package that fails is added to it, with a
    warning, and methods in it are passed over. Otherwise its error is raised.
    """
    fit, sigma = SharedFit(), given.known.get("sigma")
    for case in cases:
        if failed is not None and case.method in failed:
            continue
        uses_sigma = parse_method(case.method).probability == "sigma"
        documents = prepare(
            given.scores,
            y_true=given.y_true,
            calibrate=fit,
            task=given.task,
            measure=measure,
            average=average,
            random_state=given.seed,
            method=case.method,
            decide=case.decide,
            **{**given.known, "sigma": sigma if uses_sigma else None},
        )
        if uses_sigma and np.array_equal(documents.scores, given.scores):  # the same unit
            sigma = documents.model.sigma
        try:
            order = None
            if case.method != RANDOM:
                order = simulate_documents(documents, given.y_true).order
        except PluginError as error:
            if failed is None or case.method in METHODS:
                raise
            failed.add(case.method)
            warnings.warn(f"a row is left out: {error}", PluginWarning, stacklevel=2)
            continue
        yield Contender(case, documents.decided, order)
