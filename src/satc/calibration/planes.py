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
Blocks = Callable[[], Iterator[tuple[list[Array], Labels]]]  # inputs and labels of some documents

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

    return class_planes(pooled, start, start)


def class_planes(blocks: Blocks, centre: Array, start: Array) -> Array:
    """Return the posterior mode of the coefficients of every class, coefficients x classes.

    `centre` is the mean of the prior. If a step makes the objective of a class worse, it is undone
    and halved.
    """
    planes, step = start, np.zeros_like(start)
    best = np.full(centre.shape[1], np.inf)
    for _ in range(_MAX_STEPS):
        trial = planes - step
        value, gradient, hessian = _objective(blocks, trial, centre)
        better = value <= best
        planes = np.where(better, trial, planes)
        best = np.where(better, value, best)
        step = np.where(better, _newton_step(hessian, gradient), step / 2)
        if np.abs(step).max() < _TOLERANCE:
            break
    return planes


def _objective(blocks: Blocks, planes: Array, centre: Array) -> tuple[Array, Array, Array]:
    """Return the penalised log-loss of every class, its gradient and its Hessian.

    Gradients are coefficients x classes, Hessians classes x coefficients x coefficients.
    """
    size, n_classes = planes.shape
    distance = planes - centre
    value = 0.5 * _PRIOR_PRECISION * (distance * distance).sum(axis=0)
    gradient = _PRIOR_PRECISION * distance
    hessian = np.tile(_PRIOR_PRECISION * np.eye(size), (n_classes, 1, 1))
    for inputs, labels in blocks():
        logits = planes[-1] + sum(
            coefficient * one for coefficient, one in zip(planes[:-1], inputs, strict=True)
        )
        probability = expit(np.asarray(logits))
        residual = probability - labels
        curvature = probability * (1.0 - probability)
        value -= np.log(np.maximum(1.0 - np.abs(residual), _TINY)).sum(axis=0)
        for i in range(size):
            gradient[i] += _summed(residual, inputs, i)
            weighted = curvature if i == len(inputs) else curvature * inputs[i]
            for j in range(i, size):
                hessian[:, i, j] += _summed(weighted, inputs, j)
    for i in range(size):
        hessian[:, i + 1 :, i] = hessian[:, i, i + 1 :]
    return value, gradient, hessian


def _summed(values: Array, inputs: list[Array], i: int) -> Array:
    """Return the sums over documents of values x input i; the input after the last one is 1."""
    if i == len(inputs):
        return np.asarray(values.sum(axis=0))
    return np.asarray(np.einsum("ij,ij->j", values, inputs[i]))


def _newton_step(hessian: Array, gradient: Array) -> Array:
    """Solve the systems of all classes, and limit the steps."""
    step = np.linalg.solve(hessian, gradient.T[..., np.newaxis])[..., 0].T
    return np.asarray(step / np.maximum(1.0, np.abs(step).max(axis=0) / _LONGEST_STEP))
