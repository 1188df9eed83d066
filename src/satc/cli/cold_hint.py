"""One line that says that nothing is known of the predictions that were ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satc.ranking.documents import RankedDocuments


def cold_hint(documents: RankedDocuments, decide: str) -> str | None:
    """Say that the order rests on a prior; None if true labels are known, even a few.

    `decide` is how labels are decided on as the user wants it, "sign" or "measure".
    """
    if not documents.model.is_cold or documents.model.training is not None:
        return None
    chosen = ""
    if decide == "measure":
        chosen = ". Labels are those that were predicted: satc chooses them when enough is known"
    return (
        "no true label is known, so the order rests on the predictions alone. It gets better with "
        "--predictions and --known FILE, documents with true labels, or with satc create: a "
        f"project learns as people decide{chosen}"
    )
