"""Further opinions on documents, as people have them: scores, probabilities or labels.

An opinion is what another classifier, a language model or people say about the same documents and
classes. Where it is known of training documents, too, what it is worth is learnt from them.
Otherwise that is learnt from how it agrees with the classifier. A document without an opinion has
NaN in its row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.arrays.magnitudes import extreme_exponent, scaled
from satc.inputs import refuse_masked

Array = NDArray[np.float64]

_SMALLEST = 1e-6  # probabilities are at least this far from 0 and 1 before their logit is taken


class ParsedOpinions(NamedTuple):
    """Opinions as scores: a positive number says yes."""

    documents: dict[str, Array]
    training: dict[str, Array]  # only those that are known of the training documents


def parse_opinions(
    opinions: Any, shape: tuple[int, int], train_shape: tuple[int, int] | None = None
) -> ParsedOpinions:
    """Return opinions as arrays of scores.

    Parameters
    ----------
    opinions : mapping from a name to an array, or to a pair of arrays; or None
        Scores, probabilities or 0/1 labels of the documents, documents x classes; in a pair, the
        second one is of the training documents, by a classifier that was not trained on them.
    shape, train_shape : pairs of integers
        The shapes of the scores of the documents, and of the training documents if there are any.

    Examples
    --------
    >>> parsed = parse_opinions({"model": [[1, 0]]}, (1, 2))
    >>> parsed.documents["model"].tolist()
    [[1.0, -1.0]]
    """
    parsed = ParsedOpinions({}, {})
    if opinions is None:
        return parsed
    if not isinstance(opinions, Mapping):
        raise TypeError(
            "opinions must map a name to an array, or to a pair of arrays, but is "
            f"{type(opinions).__name__}"
        )
    for name, given in opinions.items():
        _add(parsed, name, given, shape, train_shape)
    return parsed


def _add(
    parsed: ParsedOpinions,
    name: Any,
    given: Any,
    shape: tuple[int, int],
    train_shape: tuple[int, int] | None,
) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(
            f"the name of an opinion must be a text that is not empty, but is {name!r}"
        )
    own, known = given if isinstance(given, tuple) else (given, None)
    of_documents = _matrix(own, f"opinions[{name!r}]", shape)
    if known is None:
        parsed.documents[name] = as_scores_of_opinion(of_documents)[0]
        return
    if train_shape is None:
        raise ValueError(
            f"opinions[{name!r}] has an array of training documents, but oof_scores and y_train "
            "are not given"
        )
    of_training = _matrix(known, f"opinions[{name!r}][1]", train_shape)
    both = as_scores_of_opinion(of_documents, of_training)
    parsed.documents[name], parsed.training[name] = both


def as_scores_of_opinion(*arrays: Array) -> list[Array]:
    """Return labels as 1 and -1, probabilities as their logits; other scores do not change.

    >>> [one.round(2).tolist() for one in as_scores_of_opinion(np.array([[0.5, 0.88]]))]
    [[[0.0, 1.99]]]
    """
    values = np.concatenate([one[np.isfinite(one)] for one in arrays])
    if np.isin(values, (0.0, 1.0)).all():
        return [2.0 * one - 1.0 for one in arrays]
    if len(values) and values.min() >= 0.0 and values.max() <= 1.0:
        clipped = [np.clip(one, _SMALLEST, 1.0 - _SMALLEST) for one in arrays]
        return [np.log(one) - np.log1p(-one) for one in clipped]
    exponent = extreme_exponent(arrays[-1])
    return [scaled(one, exponent) for one in arrays]


def _matrix(value: Any, name: str, shape: tuple[int, int]) -> Array:
    """Return an array of the right shape; a row with a number that is not finite becomes NaN."""
    refuse_masked(value, name)
    try:
        matrix = np.array(value.to_numpy() if hasattr(value, "to_numpy") else value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from None
    if matrix.shape != shape:
        raise ValueError(
            f"{name} must have the shape of the scores of these documents, {shape}, but has "
            f"{matrix.shape}"
        )
    missing = ~np.isfinite(matrix).all(axis=1)
    if missing.all() and len(matrix):
        raise ValueError(f"{name} must hold an opinion on some documents, but holds none")
    matrix[missing] = np.nan
    return matrix
