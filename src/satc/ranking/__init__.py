"""Ranking documents by their utility (Sections 4, 7 and 8)."""

from satc.calibration.similarity.similar import SimilarDocument
from satc.ranking.annotators import round_robin
from satc.ranking.methods import METHODS
from satc.ranking.ranking import Contribution, Ranking, rank
from satc.ranking.reasons.opinions import Said

__all__ = [
    "METHODS",
    "Contribution",
    "Ranking",
    "Said",
    "SimilarDocument",
    "rank",
    "round_robin",
]
