"""The agreement of people who labelled the same documents, corrected for chance.

Cohen's kappa is for two people: 1 - (observed disagreement) / (disagreement expected if both
answered at random, each with their own rates). Krippendorff's alpha is for any number of people,
who need not label the same documents; its expected disagreement is computed from all answers
together. Both are 1 for full agreement and 0 for agreement by chance. If all answers are the same,
both are 0/0: such answers give no information about agreement beyond chance, and the value is NaN,
as in scikit-learn.

Label sets are compared by the Jaccard distance, or by the distance MASI (Passonneau 2006), which
also considers whether one set contains the other.

For single-label data, where every answer is exactly one class, both are computed over the classes:
two answers agree if they name the same class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
LabelSet = frozenset[str]
Distance = Literal["jaccard", "masi"]
BLOCK = 512  # number of label sets that are compared with all others at once


class Kappa(NamedTuple):
    """Cohen's kappa of two people: for each class, and for the decisions of all classes pooled."""

    per_class: Values
    pooled: float
    documents: int


class Judgement(NamedTuple):
    """The labels that a person gave to a document."""

    document: str
    who: str
    labels: Iterable[str]


@dataclass(frozen=True)
class Agreement:
    """Agreement on the documents that at least two people have labelled.

    Attributes
    ----------
    documents
        Number of these documents.
    kappa
        Cohen's kappa of each pair of people who share documents, names in sorted order.
    alpha
        Krippendorff's alpha of each class.
    label_sets
        Krippendorff's alpha of whole label sets, for each distance.
    kappa_nominal
        For single-label data: Cohen's kappa over the classes, of each pair of people.
    alpha_nominal
        For single-label data: Krippendorff's alpha over the classes; otherwise None.
    """

    documents: int
    kappa: Mapping[tuple[str, str], Kappa]
    alpha: Mapping[str, float]
    label_sets: Mapping[Distance, float]
    kappa_nominal: Mapping[tuple[str, str], float] = field(default_factory=dict)
    alpha_nominal: float | None = None


def agreement(
    judgements: Iterable[Judgement], classes: Sequence[str], *, single_label: bool = False
) -> Agreement:
    """Measure the agreement of people; only the last judgement of a person on a document counts.

    With `single_label`, every judgement must have exactly one label, and the agreement over the
    classes is measured as well.

    >>> given = [("1", "ann", {"corn"}), ("1", "bob", {"corn"}), ("2", "ann", {"corn", "wheat"}),
    ...          ("2", "bob", {"wheat"}), ("3", "ann", set()), ("3", "bob", set())]
    >>> found = agreement((Judgement(*one) for one in given), ["corn", "wheat"])
    >>> found.documents, found.kappa["ann", "bob"].per_class.round(2).tolist()
    (3, [0.4, 1.0])
    >>> given = [("1", "ann", {"corn"}), ("1", "bob", {"corn"}), ("2", "ann", {"wheat"}),
    ...          ("2", "bob", {"oat"}), ("3", "ann", {"oat"}), ("3", "bob", {"oat"})]
    >>> judgements = [Judgement(*one) for one in given]
    >>> found = agreement(judgements, ["corn", "wheat", "oat"], single_label=True)
    >>> round(found.kappa_nominal["ann", "bob"], 2), round(found.alpha_nominal, 2)
    (0.5, 0.55)
    """
    given = [Judgement(document, who, frozenset(labels)) for document, who, labels in judgements]
    if single_label:
        _check_single_labels(given)
    answers = _shared_documents(given, frozenset(classes))
    column = {name: j for j, name in enumerate(classes)}
    sets = [list(given.values()) for given in answers.values()]
    counts = np.array([_positives(given, column) for given in sets]).reshape(-1, len(column))
    alphas = krippendorff_alpha_binary(counts, np.array([len(given) for given in sets]))
    return Agreement(
        documents=len(sets),
        kappa={pair: _pair_kappa(answers, pair, column) for pair in _pairs(answers)},
        alpha=dict(zip(classes, alphas.tolist(), strict=True)),
        label_sets={name: krippendorff_alpha_sets(sets, name) for name in DISTANCES},
        kappa_nominal=_nominal_kappas(answers) if single_label else {},
        alpha_nominal=krippendorff_alpha_nominal(_only_labels(sets)) if single_label else None,
    )


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> Values:
    """Return Cohen's kappa of each column of two 0/1 matrices, documents x classes.

    If both people always gave the same one answer, the value is NaN.

    >>> cohen_kappa([[1, 0], [1, 0], [0, 0], [0, 0]], [[1, 0], [0, 0], [0, 0], [0, 0]]).tolist()
    [0.5, nan]
    """
    a, b = _matrix(first, "first"), _matrix(second, "second")
    if a.shape != b.shape:
        raise ValueError(
            f"first and second must have the same shape, but have {a.shape} and {b.shape}"
        )
    if not len(a):
        return np.full(a.shape[1], np.nan)
    observed = (a != b).mean(axis=0)
    p, q = a.mean(axis=0), b.mean(axis=0)
    return _chance_corrected(observed, p * (1 - q) + q * (1 - p))


def pooled_kappa(first: ArrayLike, second: ArrayLike) -> float:
    """Return Cohen's kappa of the decisions of all classes, pooled into one list."""
    a, b = _matrix(first, "first"), _matrix(second, "second")
    return float(cohen_kappa(a.reshape(-1, 1), b.reshape(-1, 1))[0])


def cohen_kappa_nominal(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa of two people who gave exactly one class to every document.

    If both people always gave the same one class, or there are no documents, the value is NaN.

    >>> first, second = ["corn", "wheat", "oat", "oat"], ["corn", "oat", "oat", "oat"]
    >>> round(cohen_kappa_nominal(first, second), 3)
    0.556
    >>> cohen_kappa_nominal(["corn", "corn"], ["corn", "corn"])
    nan
    """
    if len(first) != len(second):
        raise ValueError(
            f"first and second must have the same length, but have {len(first)} and {len(second)}"
        )
    n = len(first)
    different = sum(a != b for a, b in zip(first, second, strict=True))
    ours, theirs = Counter(first), Counter(second)
    same_by_chance = sum(count * theirs[name] for name, count in ours.items())
    return float(
        _chance_corrected(np.array(float(different * n)), np.array(float(n * n - same_by_chance)))
    )


def krippendorff_alpha_nominal(answers: Iterable[Iterable[Hashable]]) -> float:
    """Return Krippendorff's alpha of answers that are exactly one class each.

    Parameters
    ----------
    answers
        For each document, the classes that people gave to it. Documents with fewer than two
        answers are ignored.

    Examples
    --------
    >>> answers = [["corn", "corn"], ["wheat", "oat"], ["oat", "oat", "oat"], ["corn"]]
    >>> round(krippendorff_alpha_nominal(answers), 3)
    0.571
    >>> krippendorff_alpha_nominal([["corn", "corn"]])
    nan
    """
    paired = [counts for counts in map(Counter, answers) if counts.total() > 1]
    totals = Counter(one for counts in paired for one in counts.elements())
    n = totals.total()
    observed = sum(_differing_pairs(counts) / (counts.total() - 1) for counts in paired)
    expected = np.array(float(_differing_pairs(totals)))
    return float(_chance_corrected(np.array(observed * (n - 1)), expected))


def krippendorff_alpha_binary(positives: ArrayLike, answers: ArrayLike) -> Values:
    """Return Krippendorff's alpha of yes/no answers, for each class.

    Parameters
    ----------
    positives
        Number of people who said yes, documents x classes.
    answers
        Number of people who answered, for each document. Documents with fewer than two answers are
        ignored.

    Examples
    --------
    Two people and ten documents; one person says yes to two documents, the other to four:

    >>> counts = [[1], [2], [1], [0], [0], [1], [0], [0], [1], [0]]
    >>> krippendorff_alpha_binary(counts, [2] * 10).round(3).tolist()
    [0.095]
    >>> krippendorff_alpha_binary([[2], [2]], [2, 2]).tolist()
    [nan]
    """
    yes = np.asarray(positives, dtype=np.float64)
    m = np.asarray(answers, dtype=np.float64)
    if yes.ndim != 2 or m.shape != yes.shape[:1]:
        raise ValueError(
            "positives must be documents x classes, and answers must have one value per document, "
            f"but their shapes are {yes.shape} and {m.shape}"
        )
    if not np.all((yes >= 0) & (yes <= m[:, None])):
        raise ValueError("positives must lie between 0 and the number of answers, but do not")
    yes, m = yes[m > 1], m[m > 1, None]
    n, ones = m.sum(), yes.sum(axis=0)
    observed = (2 * yes * (m - yes) / (m - 1)).sum(axis=0)
    return _chance_corrected(observed * max(n - 1, 0), 2 * ones * (n - ones))


def krippendorff_alpha_sets(
    answers: Iterable[Iterable[Iterable[Hashable]]], distance: Distance = "masi"
) -> float:
    """Return Krippendorff's alpha of whole label sets.

    Parameters
    ----------
    answers
        For each document, the label sets that people gave to it. Documents with fewer than two
        label sets are ignored.
    distance
        ``"masi"`` or ``"jaccard"``.

    Examples
    --------
    >>> answers = [[{"corn"}, {"corn"}], [{"corn", "wheat"}, {"wheat"}], [{"oat"}, {"oat"}]]
    >>> round(krippendorff_alpha_sets(answers, "jaccard"), 3)
    0.783
    >>> krippendorff_alpha_sets([[{"corn"}, {"corn"}]])
    nan
    """
    if distance not in DISTANCES:
        known = ", ".join(map(repr, DISTANCES))
        raise ValueError(f"distance must be one of {known}, but is {distance!r}")
    paired = [
        given for given in ([frozenset(one) for one in unit] for unit in answers) if given[1:]
    ]
    totals = Counter(one for given in paired for one in given)
    index = {one: i for i, one in enumerate(totals)}
    members = _membership(list(totals))
    counts = np.array(list(totals.values()), dtype=np.float64)
    n = counts.sum()
    expected = sum(
        float(counts[block] @ _distances(members[block], members, distance) @ counts)
        for block in _blocks(len(counts))
    )
    observed = sum(
        _disagreement(members[[index[one] for one in given]], distance) for given in paired
    )
    return float(_chance_corrected(np.array(observed * (n - 1)), np.array(expected)))


DISTANCES: tuple[Distance, ...] = ("masi", "jaccard")


def _chance_corrected(observed: Values, expected: Values) -> Values:
    """Return 1 - observed / expected; NaN for 0/0, where no disagreement is possible."""
    ratio = np.full(np.shape(expected), np.nan)
    np.divide(observed, expected, out=ratio, where=expected > 0)
    return 1 - ratio


def _differing_pairs(counts: Counter[Hashable]) -> int:
    """Count the ordered pairs of different answers."""
    return int(counts.total() ** 2 - sum(count * count for count in counts.values()))


def _disagreement(members: Values, distance: Distance) -> float:
    """Return the disagreement on one document: the sum over all pairs of answers."""
    return float(_distances(members, members, distance).sum() / (len(members) - 1))


def _distances(first: Values, second: Values, distance: Distance) -> Values:
    """Return the distances of sets, given as 0/1 rows; two empty sets have distance 0.

    >>> sets = np.array([[0.0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]])
    >>> _distances(sets, sets, "masi")[1].round(3).tolist()
    [1.0, 0.0, 0.556, 0.889]
    """
    both = first @ second.T
    sizes, others = first.sum(axis=1)[:, None], second.sum(axis=1)[None, :]
    union = sizes + others - both
    jaccard = np.divide(both, union, out=np.ones_like(both), where=union > 0)
    if distance == "jaccard":
        return 1 - jaccard
    is_subset = both == np.minimum(sizes, others)
    monotonicity = np.where(both == union, 1.0, np.where(is_subset, 2 / 3, 1 / 3))
    return 1 - jaccard * monotonicity


def _membership(sets: Sequence[frozenset[Hashable]]) -> Values:
    """Return sets as a 0/1 matrix, sets x members."""
    column: dict[Hashable, int] = {}
    for one in sets:
        for name in one:
            column.setdefault(name, len(column))
    members = np.zeros((len(sets), len(column)))
    for i, one in enumerate(sets):
        members[i, [column[name] for name in one]] = 1
    return members


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, n, BLOCK))


def _matrix(values: Any, name: str) -> NDArray[np.bool_]:
    array = np.asarray(values)
    if array.ndim != 2 or not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must be a 0/1 matrix, documents x classes, but is not")
    return array.astype(bool)


Answers = dict[str, dict[str, LabelSet]]  # by document, then by person


def _shared_documents(judgements: Iterable[Judgement], classes: LabelSet) -> Answers:
    """Return the answers on the documents that at least two people have labelled."""
    answers: Answers = {}
    for document, who, labels in judgements:
        given = frozenset(labels)
        if not given <= classes:
            raise ValueError(
                f"labels must be among the classes, but {document!r} has "
                f"{sorted(given - classes)[0]!r}"
            )
        answers.setdefault(document, {})[who] = given
    return {document: given for document, given in answers.items() if len(given) > 1}


def _check_single_labels(judgements: Iterable[Judgement]) -> None:
    for document, who, labels in judgements:
        if len(given := frozenset(labels)) != 1:
            raise ValueError(
                "judgements must have exactly one label each if single_label is true, but "
                f"{who!r} gave {len(given)} to {document!r}"
            )


def _only_labels(sets: Iterable[Iterable[LabelSet]]) -> list[list[str]]:
    return [[next(iter(one)) for one in given] for given in sets]


def _nominal_kappas(answers: Answers) -> dict[tuple[str, str], float]:
    kappas = {}
    for pair in _pairs(answers):
        shared = [given for given in answers.values() if given.keys() >= set(pair)]
        first, second = (_only_labels([[given[who] for given in shared]])[0] for who in pair)
        kappas[pair] = cohen_kappa_nominal(first, second)
    return kappas


def _positives(given: Iterable[LabelSet], column: Mapping[str, int]) -> NDArray[np.int64]:
    """Count, for each class, the label sets that contain it."""
    return np.bincount(
        [column[name] for one in given for name in one], minlength=len(column)
    ).astype(np.int64)


def _pairs(answers: Answers) -> list[tuple[str, str]]:
    return sorted({pair for given in answers.values() for pair in combinations(sorted(given), 2)})


def _pair_kappa(answers: Answers, pair: tuple[str, str], column: Mapping[str, int]) -> Kappa:
    shared = [given for given in answers.values() if given.keys() >= set(pair)]
    first, second = (
        np.array([_positives([given[who]], column) for given in shared]) for who in pair
    )
    return Kappa(cohen_kappa(first, second), pooled_kappa(first, second), len(shared))
