"""Draws of the audit that nobody has decided on yet, and what they keep from the certificate.

The certificate counts the draws before the first one that is not decided. Later draws count as
checked, but not as audited, until the undecided ones are decided.
"""

from __future__ import annotations

from typing import NamedTuple

from satc.assurance.certificate.measure_bounds import Bound


class UndecidedDraws(NamedTuple):
    """Drawn documents that are not decided.

    Attributes
    ----------
    n_undecided : int
        How many drawn documents are not decided.
    n_blocked : int
        How many later draws are decided, but do not count as audited because of them.
    bounds_if_right : tuple of Bound
        The bounds that the certificate would have if these documents were decided and their
        predicted labels were right. This is an assumption: the bounds are not certified.
    """

    n_undecided: int
    n_blocked: int
    bounds_if_right: tuple[Bound, ...]

    def sentence(self) -> str:
        """Say how many draws are undecided, and what the bounds would be with them.

        >>> print(UndecidedDraws(1, 12, (Bound("micro-F1", 0.9128),)).sentence())
        1 document that was drawn for the audit is not decided yet, so 12 later draws do not count \
as audited. If the predicted labels of this document turn out right, the bounds would be: \
micro-F1 0.912. They are not certified.
        """
        one = self.n_undecided == 1
        drawn = "document that was" if one else "documents that were"
        these = "this document" if one else "these documents"
        bounds = ", ".join(f"{name} {_floor(low)}" for name, low in self.bounds_if_right)
        return (
            f"{self.n_undecided:,} {drawn} drawn for the audit {'is' if one else 'are'} not "
            f"decided yet{self._consequence()}. If the predicted labels of {these} turn out right, "
            f"the bounds would be: {bounds}. They are not certified."
        )

    def _consequence(self) -> str:
        if not self.n_blocked:
            return ""
        later = "1 later draw does" if self.n_blocked == 1 else f"{self.n_blocked:,} later draws do"
        return f", so {later} not count as audited"


def _floor(value: float) -> str:
    """Return three digits, rounded down."""
    return f"{int(value * 1000) / 1000:.3f}"
