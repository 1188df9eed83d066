"""The documents with known labels that are most similar to a ranked document."""

from __future__ import annotations

from satc.calibration.evidence import rows_of
from satc.calibration.similarity.similar import SimilarDocument
from satc.ranking.documents import RankedDocuments

SIMILAR = 3  # documents that are shown, unless a caller wants another number


def similar_to(documents: RankedDocuments, i: int, n: int = SIMILAR) -> list[SimilarDocument]:
    """Return the n most similar documents with known labels, the nearest first.

    They are those whose labels the contextual methods compare document i with, at most 20 of
    them. The list is empty for other methods, and where there are no features. In a cold start
    they are documents that people decided on, and document i is none of them.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, but is {n}")
    calibrator = documents.model.calibrator
    if calibrator is None or documents.features is None:
        return []
    found = calibrator.similar_to(rows_of(documents.features, slice(i, i + 1)), n + 1)
    return [one for one in found if one.is_training or one.row != i][:n]
