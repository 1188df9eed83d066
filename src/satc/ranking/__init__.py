"""Ranking documents by their utility (Sections 4, 7 and 8)."""

from satc.ranking.annotators import round_robin
from satc.ranking.methods import METHODS
from satc.ranking.ranking import Contribution, Ranking, rank

__all__ = ["METHODS", "Contribution", "Ranking", "rank", "round_robin"]
