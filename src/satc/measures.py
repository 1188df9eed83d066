"""Evaluation measures: functions of a contingency table (Section 3, Equation 1).

A measure is any callable of ``(tp, fp, fn, tn)``. The built-in measures accept numbers or arrays.
`parse` returns a measure from its name, for example ``parse("f2")``. A measure is 1 for a table
without errors. A ratio of 0/0 counts as 1, because no error was possible; the paper does the same
for F1. Installed packages can offer further measures (`satc.plugins`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from satc.inputs import MULTI_LABEL, SINGLE_LABEL, choice
from satc.plugins.contracts.measure import check_measure
from satc.plugins.installed import Plugin
from satc.plugins.kinds import MEASURES
from satc.plugins.table import PluginTable

Measure = Callable[[Any, Any, Any, Any], Any]


@dataclass(frozen=True, repr=False)
class FBeta:
    """F-beta, the weighted harmonic mean of precision and recall; beta > 1 favours recall.

    >>> FBeta(1)(10, 30, 20, 40)
    0.2857142857142857
    >>> FBeta(2)(tp=0, fp=0, fn=0, tn=9)
    1.0
    """

    beta: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.beta) and self.beta > 0):
            raise ValueError(f"beta must be a positive number, but is {self.beta!r}")

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        squared = self.beta * self.beta
        hits = (1 + squared) * tp
        return _ratio(hits, hits + fp + squared * fn)

    def __repr__(self) -> str:
        return f"f{self.beta:g}"


@dataclass(frozen=True, repr=False)
class MeasureOfTables:
    """A function of the four cells of one table, with a name from which `parse` returns it."""

    name: str
    function: Measure

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return self.function(tp, fp, fn, tn)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return parse, (self.name,)


@dataclass(frozen=True, repr=False)
class NamedMeasure(MeasureOfTables):
    """The same for many tables at once: the cells may be arrays."""


def _accuracy(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return _ratio(tp + tn, tp + fp + fn + tn)


def _jaccard(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return _ratio(tp, tp + fp + fn)


def _balanced_accuracy(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (_ratio(tp, tp + fn) + _ratio(tn, tn + fp)) / 2


def _g_mean(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return np.sqrt(_ratio(tp, tp + fn) * _ratio(tn, tn + fp))


def _matthews(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Matthews' correlation; 0 if there are errors and a row or column of the table is empty.

    >>> parse("matthews")(0.0, 0.0, 3.0, 7.0), parse("matthews")(0.0, 0.0, 0.0, 7.0)
    (0.0, 1.0)
    """
    margins = np.sqrt((tp + fp) * (fn + tn)) * np.sqrt((tp + fn) * (fp + tn))
    value = _ratio(tp * tn - fp * fn, margins, otherwise=0.0)
    return _where(fp + fn == 0, 1.0, value)


def _kappa(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Cohen's kappa: 2 (tp tn - fp fn) / the sum of the two products of margins."""
    margins = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    value = _ratio(2 * (tp * tn - fp * fn), margins, otherwise=0.0)
    return _where(fp + fn == 0, 1.0, value)


F1 = FBeta(1)

_NAMED = {
    name: NamedMeasure(name, function)
    for name, function in {
        "accuracy": _accuracy,
        "jaccard": _jaccard,
        "balanced-accuracy": _balanced_accuracy,
        "matthews": _matthews,
        "kappa": _kappa,
        "g-mean": _g_mean,
    }.items()
}

NAMES = ("f1", "f2", "f0.5", *_NAMED)
_F_BETA = re.compile(r"f(\d+\.?\d*|\.\d+)")


def _adapt(plugin: Plugin, function: Any) -> Measure:
    """Return the measure of a package, checked."""
    if _F_BETA.fullmatch(plugin.name):
        raise ValueError("its name must not be f with a number, which means F-beta")
    kind = NamedMeasure if check_measure(function) else MeasureOfTables
    return kind(plugin.name, function)


PLUGINS: PluginTable[Measure] = PluginTable(MEASURES, lambda: NAMES, _adapt)


def names() -> tuple[str, ...]:
    """Return the names of all measures, with those of installed packages; `parse` takes any beta.

    >>> names()[:4]
    ('f1', 'f2', 'f0.5', 'accuracy')
    """
    return (*NAMES, *PLUGINS.names())


def parse(measure: str | Measure) -> Measure:
    """Return the measure with this name; a callable is returned unchanged.

    Names are ``f1`` and ``f`` with any other beta (``f2``, ``f0.5``), ``accuracy``,
    ``jaccard``, ``balanced-accuracy``, ``matthews``, ``kappa`` and ``g-mean``, and those of
    installed packages.

    >>> parse("f0.5"), parse("jaccard")
    (f0.5, jaccard)
    >>> parse("f3")(1.0, 1.0, 0.0, 8.0)
    0.9090909090909091
    """
    if callable(measure):
        return measure
    if isinstance(measure, str):
        name = measure.strip().lower().replace("_", "-")
        if _F_BETA.fullmatch(name) and float(name[1:]) > 0:
            return FBeta(float(name[1:]))
        named: dict[str, Measure] = {"f1": F1, "f<beta>": F1, **_NAMED}
        return PLUGINS.choice(name, named)
    raise TypeError(f"measure must be a name or a callable of (tp, fp, fn, tn), but is {measure!r}")


_DISPLAY_NAMES = {
    "jaccard": "Jaccard",
    "balanced-accuracy": "balanced accuracy",
    "matthews": "Matthews",
    "g-mean": "G-mean",
}


def display_name(
    measure: str | Measure, average: str | None = None, task: str = MULTI_LABEL
) -> str:
    """Return the name of a measure for people, with its average if that is given.

    If every document has exactly one label, each error is a false positive of one class and a
    false negative of another. Micro-averaged F-beta is then the share of documents that are right.

    >>> display_name("f0.5"), display_name("f1", "macro"), display_name("matthews", "micro")
    ('F0.5', 'macro-F1', 'micro-Matthews')
    >>> display_name("f1", "micro", "single-label")
    'accuracy'
    """
    parsed = parse(measure)
    if task == SINGLE_LABEL and average == "micro" and isinstance(parsed, FBeta):
        return "accuracy"
    name = _own_name(parsed)
    return name if average is None else f"{average}-{name}"


def _own_name(measure: Measure) -> str:
    if isinstance(measure, FBeta):
        return f"F{measure.beta:g}"
    if isinstance(measure, MeasureOfTables):
        return _DISPLAY_NAMES.get(measure.name, measure.name)
    return str(getattr(measure, "__name__", measure))


def evaluate(measure: Measure, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return the measure of one table (floats) or of many (arrays); it must be finite.

    A callable that is not a built-in measure is called once for each table.
    """
    if isinstance(tp, float):
        value = float(measure(tp, fp, fn, tn))
        if not math.isfinite(value):
            raise _not_finite(measure, value, (tp, fp, fn, tn))
        return value
    if isinstance(measure, FBeta | NamedMeasure):
        return measure(tp, fp, fn, tn)
    cells = np.broadcast_arrays(tp, fp, fn, tn)
    flat = zip(*(cell.ravel().tolist() for cell in cells), strict=True)
    return np.array([evaluate(measure, *map(float, table)) for table in flat]).reshape(
        cells[0].shape
    )


def macro_or_micro(measure: Measure, tables: Any, average: str) -> float:
    """Return the mean of the measure over classes (macro), or its value for the pooled table."""
    chosen = choice(average, {"macro": tables, "micro": tables.pooled()}, "average")
    return float(np.mean(evaluate(measure, *chosen)))


def _not_finite(measure: Measure, value: float, table: tuple[float, ...]) -> ValueError:
    cells = ", ".join(
        f"{name}={cell:g}" for name, cell in zip(("tp", "fp", "fn", "tn"), table, strict=True)
    )
    return ValueError(
        f"measure must be finite for every table, but {measure!r} is {value} for {cells}"
    )


def _ratio(numerator: Any, denominator: Any, otherwise: float = 1.0) -> Any:
    """Return numerator / denominator, or `otherwise` where the denominator is 0."""
    if isinstance(denominator, (float, int)):
        return numerator / denominator if denominator else otherwise
    zero = denominator == 0
    return np.where(zero, otherwise, numerator / np.where(zero, 1.0, denominator))


def _where(condition: Any, yes: float, no: Any) -> Any:
    if isinstance(condition, bool):
        return yes if condition else no
    return np.where(condition, yes, no)
