"""Semi-automated text classification: check first what raises accuracy fastest.

After Berardi, Esuli and Sebastiani, *Utility-Theoretic Ranking for Semi-Automated Text
Classification* (ACM TKDD, 2015). Names are loaded when they are first used, so that importing
the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satc import (
        assurance,
        datasets,
        embeddings,
        evaluation,
        learners,
        measures,
        predictions,
        review_stages,
    )
    from satc.assurance.shares import Shares, shares
    from satc.classifier import SemiAutomatedClassifier
    from satc.decisions import Decided
    from satc.embeddings.vectors import embed
    from satc.estimation.out_of_fold import out_of_fold_scores
    from satc.ranking.annotators import round_robin
    from satc.ranking.deciding import decide
    from satc.ranking.ranking import Ranking, rank
    from satc.review_stages import TwoStageReview, two_stage
    from satc.simulation import Simulation, simulate
    from satc.training import Training
    from satc.validation import Validation

__version__ = "0.1.0"

_HOMES = {
    "Decided": "satc.decisions",
    "Ranking": "satc.ranking.ranking",
    "SemiAutomatedClassifier": "satc.classifier",
    "Shares": "satc.assurance.shares",
    "Simulation": "satc.simulation",
    "Training": "satc.training",
    "TwoStageReview": "satc.review_stages",
    "Validation": "satc.validation",
    "decide": "satc.ranking.deciding",
    "embed": "satc.embeddings.vectors",
    "out_of_fold_scores": "satc.estimation.out_of_fold",
    "rank": "satc.ranking.ranking",
    "round_robin": "satc.ranking.annotators",
    "shares": "satc.assurance.shares",
    "simulate": "satc.simulation",
    "two_stage": "satc.review_stages",
}
_MODULES = (
    "assurance",
    "datasets",
    "embeddings",
    "evaluation",
    "learners",
    "measures",
    "predictions",
    "review_stages",
)

__all__ = [
    "Decided",
    "Ranking",
    "SemiAutomatedClassifier",
    "Shares",
    "Simulation",
    "Training",
    "TwoStageReview",
    "Validation",
    "assurance",
    "datasets",
    "decide",
    "embed",
    "embeddings",
    "evaluation",
    "learners",
    "measures",
    "out_of_fold_scores",
    "predictions",
    "rank",
    "review_stages",
    "round_robin",
    "shares",
    "simulate",
    "two_stage",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"satc.{name}")
    raise AttributeError(f"module 'satc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
