"""The documents with known labels that are most similar to a document, as people see them."""

from __future__ import annotations

from typing import NamedTuple

from satc.calibration.similarity.similar import SimilarDocument
from satc.ranking.reasons.similar import SIMILAR
from satc.workbench.model.sampling import in_share
from satc.workbench.review.desk import Desk
from satc.workbench.store.documents import snippets
from satc.workbench.store.predictions import ENOUGH, read_train_snippets, shortened

_MOST = 20  # similar documents that are looked at, because some may not be shown


class SimilarText(NamedTuple):
    """A similar document: its id and the start of its text, "" where they are not known."""

    id: str
    text: str
    labels: tuple[int, ...]
    similarity: float


def similar_texts(desk: Desk, document: int, who: str) -> list[SimilarText]:
    """Return the most similar documents that a person may see, the nearest first.

    They are training documents. In a project of which no label was known at first, they are
    documents that people decided on, with their present labels.
    """
    found = desk.validation.similar(document, _MOST)
    shown = [known for one in found if (known := _as_shown(desk, one, who)) is not None][:SIMILAR]
    store, key = desk.store, desk.project.key
    train = read_train_snippets(store, key, [one.row for one in shown if one.is_training])
    decided = [one.row for one in shown if not one.is_training]
    here = snippets(store, key, decided, ENOUGH)
    texts = [(train if one.is_training else here).get(one.row, ("", "")) for one in shown]
    return [
        SimilarText(identity, shortened(text), one.labels, min(one.similarity, 1.0))
        for one, (identity, text) in zip(shown, texts, strict=True)
    ]


def _as_shown(desk: Desk, one: SimilarDocument, who: str) -> SimilarDocument | None:
    """Return a similar document with its present labels; None if the person must not see them.

    A document that gets a second opinion is hidden from those who have not decided on it: they
    could be the ones to give it.
    """
    if one.is_training:
        return one
    decision, settings = desk.record.current_decision(one.row), desk.project.settings
    if decision is None:
        return None
    is_double = in_share(one.row, settings.overlap, "overlap", settings.seed)
    if is_double and not desk.record.has_decided(who, one.row):
        return None
    return one._replace(labels=tuple(decision.labels))
