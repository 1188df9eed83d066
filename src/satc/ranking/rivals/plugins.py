"""Methods of installed packages: a formula for the utility of documents (`satc.plugins`).

The contract: a function of `Predicted` that returns one finite number for each document. The
document with the largest number is checked first. The function is called for blocks of documents,
so a number must not depend on other documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from satc.errors import PluginError, SatcError
from satc.plugins.installed import Plugin
from satc.plugins.table import described
from satc.ranking.rivals.predicted import Array, Formula, Predicted

_SAMPLE = Predicted(
    np.array([[True, False, False], [False, False, False], [True, True, False]]),
    np.array([[0.1, 0.4, 0.0], [0.5, 0.0, 0.02], [0.25, 0.5, 1e-9]]),
    cardinality=1.5,
)


@dataclass(frozen=True)
class PluginFormula:
    """The formula of a package; its results are checked.

    Attributes
    ----------
    plugin
        The plugin as messages name it.
    function
        The function of the package.
    """

    plugin: str
    function: Any

    def __call__(self, predicted: Predicted) -> Array:
        """Return the utility of each document."""
        try:
            found = np.asarray(self.function(predicted), dtype=np.float64)
        except SatcError:
            raise
        except Exception as error:  # the code of the package may raise any error
            raise PluginError(f"{self.plugin} failed: {described(error)}") from error
        n_documents = len(predicted.decided)
        if found.shape != (n_documents,):
            raise PluginError(
                f"{self.plugin} must return one number for each of {n_documents:,} documents, but "
                f"returns an array of shape {found.shape}"
            )
        if not np.isfinite(found).all():
            wrong = found[~np.isfinite(found)][0]
            raise PluginError(f"{self.plugin} must return finite numbers, but one is {wrong}")
        return found


def plugin_formula(plugin: Plugin, function: Any) -> Formula:
    """Return the formula of a package, after a check with a few documents."""
    if not callable(function):
        raise ValueError(f"it must be a function of what is predicted, but is {function!r:.80}")
    formula = PluginFormula(str(plugin), function)
    formula(_SAMPLE)
    return formula
