"""Ranking inside a database engine: DuckDB on this machine, or Spark on a cluster.

A ranking is one map and one top-k. Here it is written as relational expressions (Ibis) over scores
in Parquet files or in the user's own tables. Only a few numbers per class and the requested
documents leave the engine.
"""

from __future__ import annotations

from importlib.util import find_spec

from satc.errors import MissingExtraError

if find_spec("ibis") is None:
    raise MissingExtraError("ranking at scale", "scale")

from satc.scale.ener import ener
from satc.scale.engines import DuckDBEngine, Engine, SparkEngine, connect
from satc.scale.estimates import Estimates, estimates_of_pairs
from satc.scale.predictions import stored_predictions
from satc.scale.ranking import StoredRanking, rank
from satc.scale.stored import StoredScores, open_scores, stored_scores
from satc.scale.validation import StoredValidation

__all__ = [
    "DuckDBEngine",
    "Engine",
    "Estimates",
    "SparkEngine",
    "StoredRanking",
    "StoredScores",
    "StoredValidation",
    "connect",
    "ener",
    "estimates_of_pairs",
    "open_scores",
    "rank",
    "stored_predictions",
    "stored_scores",
]
