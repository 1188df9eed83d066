"""A project that holds the best part of a larger set: its model is that of the whole set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from satc.ranking.documents import RankedDocuments, apply_model
from satc.ranking.model import RankingModel
from satc.ranking.unfetched import UnfetchedBound, places
from satc.workbench.model.subset_origin import SubsetOrigin
from satc.workbench.store import Store
from satc.workbench.store.documents import ids_of
from satc.workbench.store.larger_set import read_cuts, read_rule, read_tables
from satc.workbench.store.projects import Project


@dataclass(frozen=True, eq=False)
class LargerSet:
    """The whole set, as it was ranked when the project was made."""

    model: RankingModel
    bound: UnfetchedBound
    origin: SubsetOrigin


def ties_of(origin: SubsetOrigin, ids: Sequence[str]) -> NDArray[np.int64]:
    """Return the places of ids in their order: among equals the smaller id comes first."""
    return places([origin.sort_key(identity) for identity in ids])


def as_part_of(
    origin: SubsetOrigin, documents: RankedDocuments, store: Store, project: Project
) -> RankedDocuments:
    """Return the documents of a project under the tables, cuts and rule of the whole set."""
    model = replace(
        documents.model,
        class_tables=read_tables(store, project),
        cuts=read_cuts(store, project),
        rule=read_rule(store, project),
        absent=origin.absent,
    )
    return apply_model(model, documents.scores, ties_of(origin, ids_of(store, project.key)))
