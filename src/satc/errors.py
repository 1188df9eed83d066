"""What can go wrong that is not a wrong argument.

Wrong arguments raise ``ValueError`` or ``TypeError``. Everything else is here:

* `SatcError`
    * `StateError`: the call does not fit the state of the object
    * `DataError`: a file or an archive does not hold what it should
    * `EngineError`: DuckDB or Spark cannot be started, reached, or do what is asked
    * `MissingExtraError`: an optional dependency is not installed

and one tree of warnings, whose results are usable but deserve a look:

* `SatcWarning`
    * `CalibrationWarning`: probabilities rest on thin evidence
    * `DriftWarning`: corrections do not agree with the probabilities
"""

from __future__ import annotations


class SatcError(Exception):
    """Base of the errors that satc raises on purpose."""


class StateError(SatcError):
    """The call does not fit the present state, as an undo with nothing to undo."""


class DataError(SatcError):
    """A file or an archive does not hold what it should."""


class EngineError(SatcError):
    """An engine that ranks at scale cannot be started or reached, or fails."""


class MissingExtraError(SatcError, ImportError):
    """An optional dependency is not installed.

    >>> print(MissingExtraError("drawing a curve", "plots"))
    drawing a curve needs the extra 'plots': pip install 'satc[plots]'
    """

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs the extra '{extra}': pip install 'satc[{extra}]'")


class SatcWarning(UserWarning):
    """Base of satc's warnings."""


class CalibrationWarning(SatcWarning):
    """The probabilities rest on thin evidence."""


class DriftWarning(SatcWarning):
    """The corrections found do not agree with the probabilities."""
