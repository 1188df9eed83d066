"""How well people agree: by class and by person, on the documents that two people have read.

Only the first answers of both count, as in the certificate: nobody has seen the other one's answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from satc.evaluation.agreement import cohen_kappa_nominal
from satc.workbench.model.disagreements import (
    DoubleReading,
    Settlement,
    double_readings,
    settlements,
)
from satc.workbench.model.record import Decision, Record
from satc.workbench.review.disagreements.drift import Drift, drift


class ClassAgreement(NamedTuple):
    """The agreement on one class; `alpha` is NaN if nobody gave the class, or everybody did."""

    label: int
    both: int  # documents to which both people gave the class
    one: int  # documents to which only one of them gave it
    alpha: float  # Krippendorff's


class PersonAgreement(NamedTuple):
    """The agreement of one person with the others.

    `kappa` is Cohen's kappa of their decisions on all classes, pooled; in a single-label project,
    over the classes.
    """

    who: str
    documents: int  # that this person and somebody else have read
    same: int  # with exactly the same labels
    kappa: float
    settled: int  # disputed labels that were settled
    right: int  # those of them where this person was right
    drift: Drift


class ProjectAgreement(NamedTuple):
    """The agreement of all people of a project."""

    documents: int  # that two people have read
    same: int  # with exactly the same labels
    classes: list[ClassAgreement]  # those that somebody gave, the least agreed first
    people: list[PersonAgreement]


def project_agreement(record: Record, n_classes: int, *, is_single: bool) -> ProjectAgreement:
    """Measure how well people agree."""
    readings = double_readings(record)
    return ProjectAgreement(
        len(readings),
        sum(one.is_same for one in readings),
        _classes(readings),
        _people(readings, list(settlements(record)), n_classes, is_single),
    )


def alpha_of_two(both: int, one: int, documents: int) -> float:
    """Return Krippendorff's alpha of a class that two people judged on every document.

    >>> round(alpha_of_two(1, 4, 10), 3)
    0.095
    """
    yes, answers = 2 * both + one, 2 * documents
    expected = yes * (answers - yes)
    return 1 - one * (answers - 1) / expected if expected else np.nan


def _classes(readings: Collection[DoubleReading]) -> list[ClassAgreement]:
    both: Counter[int] = Counter()
    one: Counter[int] = Counter()
    for _, first, second in readings:
        mine, theirs = set(first.labels), set(second.labels)
        both.update(mine & theirs)
        one.update(mine ^ theirs)
    n = len(readings)
    found = [
        ClassAgreement(label, both[label], one[label], alpha_of_two(both[label], one[label], n))
        for label in both.keys() | one.keys()
    ]
    return sorted(found, key=lambda line: (-line.one, line.label))


Pair = tuple[Decision, Decision]  # a person's own answer, and the other one's


def _people(
    readings: Collection[DoubleReading],
    settled: Collection[Settlement],
    n_classes: int,
    is_single: bool,
) -> list[PersonAgreement]:
    pairs: dict[str, list[Pair]] = defaultdict(list)
    for _, first, second in readings:
        pairs[first.who].append((first, second))
        pairs[second.who].append((second, first))
    right = _settled_labels(settled)
    found = []
    for who, own in sorted(pairs.items()):
        own.sort(key=lambda pair: pair[0].number)
        same = [set(mine.labels) == set(theirs.labels) for mine, theirs in own]
        kappa = _nominal_kappa(own) if is_single else _pooled_kappa(own, n_classes)
        found.append(
            PersonAgreement(who, len(own), sum(same), kappa, *right[who], drift=drift(same))
        )
    return found


def _settled_labels(settled: Collection[Settlement]) -> dict[str, tuple[int, int]]:
    """Return, by person, how many disputed labels were settled, and how many were right."""
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for decision, first, second in settled:
        disputed, final = set(first.labels) ^ set(second.labels), set(decision.labels)
        for answer in (first, second):
            n, right = found[answer.who]
            wrong = len(disputed & (set(answer.labels) ^ final))
            found[answer.who] = n + len(disputed), right + len(disputed) - wrong
    return found


def _nominal_kappa(pairs: Sequence[Pair]) -> float:
    mine, theirs = zip(*((a.labels[0], b.labels[0]) for a, b in pairs), strict=True)
    return cohen_kappa_nominal(mine, theirs)


def _pooled_kappa(pairs: Sequence[Pair], n_classes: int) -> float:
    """Return Cohen's kappa of the yes/no decisions on all classes; NaN if it is 0/0."""
    n = len(pairs) * n_classes
    mine = sum(len(a.labels) for a, _ in pairs) / n
    theirs = sum(len(b.labels) for _, b in pairs) / n
    different = sum(len(set(a.labels) ^ set(b.labels)) for a, b in pairs) / n
    by_chance = mine * (1 - theirs) + theirs * (1 - mine)
    return 1 - different / by_chance if by_chance else np.nan
