"""Match the columns of the arguments of a ranking by name, where they are frames."""

from __future__ import annotations

from typing import Any

from satc.arrays.frames import Names, column_names, common_names, in_order, row_in_order
from satc.calibration.evidence import Evidence
from satc.training import Training


def match_columns(scores: Any, y_true: Any, given: dict[str, Any]) -> tuple[Any, Any, Names | None]:
    """Bring classes and features into one order; the options in `given` are replaced.

    Returns the scores, the true labels and the names of the classes, or None if no argument has
    any. The order is that of the first argument with names: scores, training side, true labels,
    opinions.
    """
    sides = _opinion_sides(given["opinions"])
    training = given["training"]
    known = training.class_names if isinstance(training, Training) else None
    frames = [given["oof_scores"], given["y_train"], y_true, *sides.values()]
    names = common_names([column_names(scores), known, *map(column_names, frames)])
    for name in ("oof_scores", "y_train"):
        given[name] = in_order(given[name], names, name)
    if isinstance(training, Training):
        given["training"] = training.with_classes(names)
    if sides:
        given["opinions"] = _matched_opinions(given["opinions"], names)
    given["class_weights"] = row_in_order(given["class_weights"], names, "class_weights")
    given["error_costs"] = _matched_costs(given["error_costs"], names)
    _match_features(given)
    return in_order(scores, names, "scores"), in_order(y_true, names, "y_true"), names


def _opinion_sides(opinions: Any) -> dict[str, Any]:
    """Return the arrays of all opinions, by the name that errors give them."""
    sides: dict[str, Any] = {}
    for name, given in opinions.items() if isinstance(opinions, dict) else ():
        own, *known = given if isinstance(given, tuple) else (given,)
        sides[f"opinions[{name!r}]"] = own
        sides |= {f"opinions[{name!r}][{i}]": one for i, one in enumerate(known, start=1)}
    return sides


def _matched_opinions(opinions: Any, names: Names | None) -> dict[str, Any]:
    matched: dict[str, Any] = {}
    for name, given in opinions.items():
        if not isinstance(given, tuple):
            matched[name] = in_order(given, names, f"opinions[{name!r}]")
            continue
        matched[name] = tuple(
            in_order(one, names, f"opinions[{name!r}]" + (f"[{i}]" if i else ""))
            for i, one in enumerate(given)
        )
    return matched


def _matched_costs(costs: Any, names: Names | None) -> Any:
    if not isinstance(costs, tuple | list):
        return costs
    return tuple(row_in_order(one, names, "error_costs") for one in costs)


def _match_features(given: dict[str, Any]) -> None:
    """Bring the features of the training documents into the order of those of the documents."""
    features, training = given["features"], given["training"]
    if isinstance(features, Evidence):
        features = features.features
    known = training.features if isinstance(training, Training) else given["train_features"]
    names = common_names([column_names(features), column_names(known)])
    if names is None or column_names(known) is None:
        return
    known = in_order(known, names, "train_features")
    if isinstance(training, Training):
        given["training"] = training.with_features(known)
    else:
        given["train_features"] = known
