"""The errors and warnings of satc.

Wrong arguments raise ``ValueError`` or ``TypeError``. All other errors are one tree:

* `SatcError`
    * `StateError`: the call is not possible in the present state of the object
        * `NotKnownYetError`: too few random documents are decided for an estimate
    * `DataError`: the content of a file or of an archive is not as expected
    * `EngineError`: DuckDB or Spark cannot be started or reached, or fails
    * `MissingExtraError`: an optional dependency is not installed
    * `PluginError`: an installed plugin cannot be used

Warnings mean that a result can be used, but should be checked. They are one tree, too:

* `SatcWarning`
    * `CalibrationWarning`: probabilities were estimated from too little data
    * `DriftWarning`: corrections do not agree with the probabilities
    * `GuessedFormatWarning`: encoding, separator or decimal sign of a file were guessed
    * `PluginWarning`: an installed plugin is left out
"""

from __future__ import annotations


class SatcError(Exception):
    """Base class of the errors of satc."""


class StateError(SatcError):
    """The call is not possible in the present state, for example an undo with nothing to undo."""


class NotKnownYetError(StateError):
    """Too few random documents are decided for an estimate of accuracy.

    >>> print(NotKnownYetError(38))
    not known yet: about 38 more random documents must be decided
    """

    def __init__(self, n_missing: int) -> None:
        plural = "document" if n_missing == 1 else "documents"
        super().__init__(f"not known yet: about {n_missing} more random {plural} must be decided")
        self.n_missing = n_missing


class DataError(SatcError):
    """The content of a file or of an archive is not as expected."""


class EngineError(SatcError):
    """The engine of `satc.scale` (DuckDB or Spark) cannot be started or reached, or fails."""


class MissingExtraError(SatcError, ImportError):
    """An optional dependency is not installed.

    >>> print(MissingExtraError("drawing a curve", "plots"))
    drawing a curve needs the extra 'plots': pip install 'satc[plots]'
    """

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs the extra '{extra}': pip install 'satc[{extra}]'")


class PluginError(SatcError):
    """An installed plugin cannot be used; the message names its package and what is wrong."""


class SatcWarning(UserWarning):
    """Base class of the warnings of satc."""


class CalibrationWarning(SatcWarning):
    """The probabilities were estimated from too little data."""


class DriftWarning(SatcWarning):
    """The corrections do not agree with the predicted probabilities of errors."""


class GuessedFormatWarning(SatcWarning):
    """The encoding, the separator or the decimal sign of a file was guessed."""


class PluginWarning(SatcWarning):
    """An installed plugin is left out; the message names its package and the reason."""
