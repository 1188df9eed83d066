"""Class-wise logistic regression on a few inputs, in which rare classes stay near the mean.

The log-odds that a document belongs to a class are a linear function of one or more inputs, with
coefficients of its own for each class: a *plane*. They are the mode of a posterior whose prior is
centred on the *pooled* plane, which is fitted to the pairs of all classes. So the plane of a class
with many positives follows its own documents, and the plane of a class with few positives (or none)
stays near the pooled one. Newton's method is applied to all classes at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from satc.inputs import Labels

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Blocks = Callable[[], Iterator[tuple[list[Array], Labels]]]  # inputs and labels of some documents
# Adds the log-loss of planes, its gradient and the upper triangle of its Hessian to the rows of a
# table with a column for each class. The flags are the groups of classes for which it is needed.
AddSums = Callable[[Array, Flags, Array], None]

_PRIOR_PRECISION = 1.0  # inverse prior variance of each coefficient, for standardised inputs
_MAX_STEPS = 60
_TOLERANCE = 1e-3
_TINY = 1e-300  # probabilities are at least this before the logarithm is taken
_LONGEST_STEP = 2.0  # of Newton's method; longer steps overshoot for separable classes


def expit(logits: Array) -> Array:
    """Return the probabilities of log-odds.

    >>> expit(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    return 0.5 + 0.5 * np.tanh(0.5 * logits)


def pooled_plane(blocks: Blocks, start: Array) -> Array:
    """Return the plane that is fitted to the pairs of all classes, coefficients x 1.

    `start` is the centre of its prior; the last coefficient is the intercept.
    """

    def pooled() -> Iterator[tuple[list[Array], Labels]]:
        for inputs, labels in blocks():
            yield [one.reshape(-1, 1) for one in inputs], labels.reshape(-1, 1)

    return class_planes(sums_of(pooled), start, start)


def class_planes(add: AddSums, centre: Array, start: Array, n_groups: int = 1) -> Array:
    """Return the posterior mode of the coefficients of every class, coefficients x classes.

    `centre` is the mean of the prior. If a step makes the objective of a class worse, it is undone
    and halved. Each group of classes is finished when the steps of all its classes are small.
    """
    planes, step = start, np.zeros_like(start)
    best = np.full(centre.shape[1], np.inf)
    active = np.ones(n_groups, dtype=np.bool_)
    for _ in range(_MAX_STEPS):
        trial = planes - step
        sums = _sums_of_prior(trial - centre)
        add(trial, active, sums)
        better = np.repeat(active, len(best) // n_groups) & (sums[0] <= best)
        planes = np.where(better, trial, planes)
        best = np.where(better, sums[0], best)
        step = np.where(better, _newton_step(sums, len(start)), step / 2)
        active &= np.abs(step).reshape(len(start), n_groups, -1).max(axis=(0, 2)) >= _TOLERANCE
        if not active.any():
            break
    return planes


def sums_of(blocks: Blocks) -> AddSums:
    """Return what adds up the sums over blocks of documents; all classes are one group."""

    def add(planes: Array, _: Flags, sums: Array) -> None:
        for inputs, labels in blocks():
            logits = planes[-1] + sum(
                coefficient * one for coefficient, one in zip(planes[:-1], inputs, strict=True)
            )
            _add_block(np.asarray(logits), inputs, labels, sums)

    return add


def _add_block(logits: Array, inputs: list[Array], labels: Labels, sums: Array) -> None:
    probability = expit(logits)
    residual = probability - labels
    curvature = probability * (1.0 - probability)
    sums[0] -= np.log(np.maximum(1.0 - np.abs(residual), _TINY)).sum(axis=0)
    size = len(inputs) + 1
    row = 1 + size
    for i in range(size):
        sums[1 + i] += _summed(residual, inputs, i)
        weighted = curvature if i == len(inputs) else curvature * inputs[i]
        for j in range(i, size):
            sums[row] += _summed(weighted, inputs, j)
            row += 1


def _summed(values: Array, inputs: list[Array], i: int) -> Array:
    """Return the sums over documents of values x input i; the input after the last one is 1."""
    if i == len(inputs):
        return np.asarray(values.sum(axis=0))
    return np.asarray(np.einsum("ij,ij->j", values, inputs[i]))


def _sums_of_prior(distance: Array) -> Array:
    """Return the value, the gradient and the Hessian of the prior, one column for each class."""
    size, n_classes = distance.shape
    value = 0.5 * _PRIOR_PRECISION * (distance * distance).sum(axis=0)
    upper = np.eye(size)[np.triu_indices(size)]
    hessian = np.repeat(_PRIOR_PRECISION * upper[:, np.newaxis], n_classes, axis=1)
    return np.concatenate([value[np.newaxis], _PRIOR_PRECISION * distance, hessian])


def _newton_step(sums: Array, size: int) -> Array:
    """Solve the systems of all classes, and limit the steps."""
    hessian = np.empty((sums.shape[1], size, size))
    for row, (i, j) in enumerate(zip(*np.triu_indices(size), strict=True), start=1 + size):
        hessian[:, i, j] = hessian[:, j, i] = sums[row]
    step = np.linalg.solve(hessian, sums[1 : 1 + size].T[..., np.newaxis])[..., 0].T
    return np.asarray(step / np.maximum(1.0, np.abs(step).max(axis=0) / _LONGEST_STEP))
