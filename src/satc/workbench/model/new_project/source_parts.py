"""Which files and options of a new project go together.

The command and the web pages call the same function; `named` writes a part as the person knows it:
``--oof-scores`` or ``oof_scores``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from satc.errors import DataError

SOURCES = ("train", "predictions", "scores")  # a project has exactly one of these
_OTHERS = ("scores", "predictions")
_NEEDS = {
    "oof_scores": _OTHERS,
    "train_labels": _OTHERS,
    "features": _OTHERS,
    "train_features": _OTHERS,
    "learner": ("train",),
    "folds": ("train",),
    "language": ("train",),
    "analyzer": ("train",),
    "digits": ("train",),
    "embeddings": ("train",),
    "train_embeddings": ("train",),
    "top": ("scores",),
    "kind": ("predictions",),
    "threshold": ("predictions",),
    "known": ("predictions",),
}
ALL_PARTS = (*SOURCES, *_NEEDS)
_INSTEAD = {"embeddings": "features", "train_embeddings": "features"}  # for a file of vectors

Named = Callable[[str], str]


def check_parts(given: Collection[str], named: Named) -> None:
    """Raise a `ValueError` if parts are given that do not go together, or if one is missing."""
    if len(set(given) & set(SOURCES)) != 1:
        train, *others = map(named, SOURCES)
        raise ValueError(f"either {train}, {' or '.join(others)} is needed")
    for part, sources in _NEEDS.items():
        if part in given and not set(given) & set(sources):
            more = f"; {named(_INSTEAD[part])} takes a file of vectors" if part in _INSTEAD else ""
            raise ValueError(f"{named(part)} needs {' or '.join(map(named, sources))}{more}")
    _check_training(given, named)


def _check_training(given: Collection[str], named: Named) -> None:
    """Refuse a training side that is incomplete, or that is given twice."""
    if ("oof_scores" in given) != ("train_labels" in given):
        raise ValueError(
            f"{named('oof_scores')} and {named('train_labels')} must be given together"
        )
    if "known" in given and "oof_scores" in given:
        raise ValueError(f"{named('known')} and {named('oof_scores')} must not be given together")
    features, of_training = "features" in given, "train_features" in given
    if of_training and not features:
        raise ValueError(f"{named('train_features')} needs {named('features')}")
    if "oof_scores" in given and features != of_training:
        raise ValueError(
            f"{named('features')} and {named('train_features')} must be given together, if there "
            "is a training side"
        )
    if of_training and not set(given) & {"known", "oof_scores"}:
        raise ValueError(
            f"{named('train_features')} needs {named('known')} or {named('oof_scores')}"
        )


def check_method(method: str, given: Collection[str], named: Named) -> None:
    """Refuse a method that needs true labels of training documents where there are none."""
    if set(given) & {"train", "known", "oof_scores"} or not needs_training(method):
        return
    ways = f"{named('oof_scores')} with {named('train_labels')}"
    ways = f"{named('known')} or {ways}" if "predictions" in given else ways
    raise DataError(
        f"method {method!r} needs oof_scores and y_train, documents with true labels: give {ways}, "
        f"or take {named('method')} contextual"
    )


def needs_training(method: str) -> bool:
    """Say whether a method needs documents with true labels."""
    from satc.ranking.methods import parse_method  # loads scikit-learn

    found = parse_method(method)
    return found.probability == "sigma" or found.tables == "k-fold"
