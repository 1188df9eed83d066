"""Two-stage review: who reads which document, where reading and errors have their prices.

In the disclosure of documents, a junior reviewer decides whether a document is responsive, and a
senior one whether it is privileged. After MINECORE (Oard, Sebastiani, Vinjumur 2018: *Jointly
minimizing the expected costs of review for responsiveness and privilege in e-discovery*, ACM TOIS).
"""

from __future__ import annotations

from satc.review_stages.costs import ACTIONS, CostOfReview, ReviewCosts
from satc.review_stages.played import PlayedReview, play
from satc.review_stages.review import TwoStageReview, two_stage

__all__ = [
    "ACTIONS",
    "CostOfReview",
    "PlayedReview",
    "ReviewCosts",
    "TwoStageReview",
    "play",
    "two_stage",
]
