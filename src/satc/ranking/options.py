"""The options of a ranking, which several functions share.

`rank`, `simulate`, `Validation` and the methods of `SemiAutomatedClassifier` take the same options.
They are defined here once, as a typed dictionary for ``**options``. `shows_options` adds them to
the signatures, so that ``help(satc.rank)`` and editors list them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any, TypedDict, TypeVar

import numpy as np

from satc.code_book.hierarchy import Hierarchy
from satc.inputs import MULTI_LABEL, choice
from satc.measures import Measure
from satc.training import Training

F = TypeVar("F", bound=Callable[..., Any])

METHOD = "contextual"  # the default method of a ranking
LIVE_METHOD = "contextual-dynamic"  # the default method where corrections change the order
MEASURE = "f1"
AVERAGE = "macro"
SIGN, FOR_MEASURE = "sign", "measure"  # who decides on labels: the classifier, or we


class ModelOptions(TypedDict, total=False):
    """Options that a ranking model is estimated with, in memory and at scale."""

    oof_scores: Any
    y_train: Any
    training: Training | None
    task: str
    method: str
    measure: str | Measure
    average: str
    sigma: float | None
    random_state: Any
    class_weights: Any
    error_costs: Any


class RankingOptions(ModelOptions, total=False):
    """Options of `satc.rank`, whose documentation explains them."""

    train_features: Any
    features: Any
    opinions: Any
    decide: str
    prior_shift: bool
    hierarchy: Hierarchy | None
    costs: Any


DEFAULTS: Mapping[str, Any] = {
    "task": MULTI_LABEL,
    "method": METHOD,
    "measure": MEASURE,
    "average": AVERAGE,
    "decide": SIGN,
    "prior_shift": False,
    "random_state": 0,
}


def check_decide(decide: Any) -> None:
    """Check how labels are decided on: by the signs of the scores, or for the measure."""
    choice(decide, {SIGN: None, FOR_MEASURE: None}, "decide")


def check_prior_shift(prior_shift: Any) -> None:
    """Check whether probabilities are corrected for the class frequencies of the documents."""
    if not isinstance(prior_shift, bool | np.bool_):
        raise ValueError(f"prior_shift must be True or False, but is {prior_shift!r}")


def with_defaults(options: Mapping[str, Any], known: type, defaults: Mapping[str, Any]) -> Any:
    """Return all options, with defaults where none is given; refuse unknown names.

    >>> with_defaults({"metod": "baseline"}, RankingOptions, DEFAULTS)
    Traceback (most recent call last):
    ...
    TypeError: got an unexpected keyword argument 'metod'
    """
    names = known.__annotations__
    for name in options:
        if name not in names:
            raise TypeError(f"got an unexpected keyword argument {name!r}")
    return dict.fromkeys(names) | dict(defaults) | dict(options)


def shows_options(
    known: type = RankingOptions, defaults: Mapping[str, Any] = DEFAULTS
) -> Callable[[F], F]:
    """Return a decorator that replaces ``**options`` by the options in a signature."""

    def with_signature(function: F) -> F:
        plain = signature(function)
        own = [p for p in plain.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        added = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=kind)
            for name, kind in known.__annotations__.items()
            if name not in plain.parameters
        ]
        function.__signature__ = plain.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        return function

    return with_signature
